//! Placing labels without overlap, in pixels.

use std::cmp::Reverse;

/// A rectangle: left, top, right, bottom.
pub(super) type Rect = [i32; 4];

/// Half the height of a label, and of a mark with its margin.
const HALF: i32 = 6;
/// The distance from the centre of a mark to its label.
const BESIDE: i32 = 9;

/// The approximate width of text: the reader's browser chooses the font.
pub(super) fn width(text: &str) -> i32 {
    text.chars().count() as i32 * 7
}

/// Moves positions until neighbours are `gap` apart: first down, then up from the upper end.
pub(super) fn spread(wanted: &[i32], gap: i32, low: i32, high: i32) -> Vec<i32> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by_key(|&index| wanted[index]);
    let mut places = wanted.to_vec();
    let (mut least, mut most) = (low, high);
    for &index in &order {
        places[index] = places[index].max(least);
        least = places[index] + gap;
    }
    for &index in order.iter().rev() {
        places[index] = places[index].min(most);
        most = places[index] - gap;
    }
    places
}

/// A mark with its margin.
pub(super) const fn around((x, y): (i32, i32)) -> Rect {
    [x - HALF, y - HALF, x + HALF, y + HALF]
}

/// Places texts of these widths as near to their points as possible, without overlap with each
/// other or with `taken`. Returns the left end of each, at half its height.
pub(super) fn beside(
    points: &[(i32, i32)],
    mut taken: Vec<Rect>,
    widths: &[i32],
    within: Rect,
) -> Vec<(i32, i32)> {
    // Candidate positions on both sides, the nearest first.
    let all = (0..14).flat_map(|out| (-24..=24).map(move |lift| (out * 12, lift * 8)));
    let mut ways: Vec<(i32, i32)> = all.collect();
    ways.sort_by_key(|(out, lift)| out * out + lift * lift);
    // The most crowded first, since they have the fewest candidates.
    let crowd = |(x, y): (i32, i32)| {
        points.iter().filter(|(a, b)| (a - x).abs() < 90 && (b - y).abs() < 30).count()
    };
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by_key(|&index| Reverse(crowd(points[index])));
    let mut places = points.to_vec();
    for index in order {
        let ((x, y), width) = (points[index], widths[index]);
        let label = |(left, middle): (i32, i32)| [left, middle - HALF, left + width, middle + HALF];
        let over_and_under = [-2 * HALF, 2 * HALF].map(|lift| (x - width / 2, y + lift));
        let aside = ways.iter().flat_map(|(out, lift)| {
            [x + BESIDE + out, x - BESIDE - out - width].map(|left| (left, y + lift))
        });
        let is_free = |&place: &(i32, i32)| {
            let own @ [left, top, right, bottom] = label(place);
            let is_inside = left >= within[0] && top >= within[1];
            let is_inside = is_inside && right <= within[2] && bottom <= within[3];
            is_inside && !taken.iter().any(|other| overlap(&own, other))
        };
        let free = over_and_under.into_iter().chain(aside).find(is_free);
        places[index] = free.unwrap_or((x + BESIDE, y));
        taken.push(label(places[index]));
    }
    places
}

pub(super) fn overlap(a: &Rect, b: &Rect) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

#[test]
fn labels_keep_their_order_and_distance() {
    assert_eq!(spread(&[50, 51, 52, 10, 99, 100], 15, 0, 100), [40, 55, 70, 10, 85, 100]);
}
