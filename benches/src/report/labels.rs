//! Placing labels without overlap.

/// A rectangle: left, top, right, bottom.
pub(super) type Rect = [f64; 4];

/// The approximate width of text: the reader's browser chooses the font.
pub(super) fn width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * 0.6
}

/// Moves places apart, each as little as possible, until neighbours are `gap` apart, between two
/// ends.
///
/// Isotonic regression: labels that would overlap become a block around their common middle.
pub(super) fn spread(wanted: &[f64], gap: f64, low: f64, high: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
    // Blocks of (sum of shifted places, members).
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for (rank, &index) in order.iter().enumerate() {
        blocks.push((wanted[index] - rank as f64 * gap, 1));
        while let [.., (sum_a, a), (sum_b, b)] = blocks[..] {
            if sum_a / (a as f64) < sum_b / (b as f64) {
                break;
            }
            blocks.truncate(blocks.len() - 2);
            blocks.push((sum_a + sum_b, a + b));
        }
    }
    let room = (high - (wanted.len().saturating_sub(1)) as f64 * gap).max(low);
    let mut places = vec![0.0; wanted.len()];
    let mut rank = 0;
    for (sum, members) in blocks {
        let start = (sum / members as f64).clamp(low, room);
        for _ in 0..members {
            places[order[rank]] = start + rank as f64 * gap;
            rank += 1;
        }
    }
    places
}

/// Places texts of some widths beside their points, as near as they go without covering a mark or
/// another text. Returns the left end of each, at half its height.
pub(super) fn beside(
    points: &[(f64, f64)],
    widths: &[f64],
    height: f64,
    within: Rect,
) -> Vec<(f64, f64)> {
    const MARK: f64 = 6.0;
    let box_of = |x: f64, y: f64| [x - MARK, y - MARK, x + MARK, y + MARK];
    let marks: Vec<Rect> = points.iter().map(|&(x, y)| box_of(x, y)).collect();
    let half = height / 2.0;
    let rect =
        |(left, middle): (f64, f64), width| [left, middle - half, left + width, middle + half];
    let mut taken: Vec<Rect> = Vec::new();
    let mut places = vec![(0.0, 0.0); points.len()];
    // The most crowded first: they have the fewest ways out.
    let crowd = |index: usize| {
        let (x, y) = points[index];
        let near = |(a, b): &&(f64, f64)| (a - x).abs() < 90.0 && (b - y).abs() < 30.0;
        points.iter().filter(near).count()
    };
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by_key(|&index| std::cmp::Reverse(crowd(index)));
    for index in order {
        let ((x, y), width) = (points[index], widths[index]);
        // All places around the mark, the nearest first.
        let mut candidates = vec![
            (0.0, (x - width / 2.0, y - MARK - half)),
            (0.0, (x - width / 2.0, y + MARK + half)),
        ];
        for (out, lift) in (0..9).flat_map(|out| (-16..=16).map(move |lift| (out, lift))) {
            let (out, lift) = (f64::from(out) * 12.0, f64::from(lift) * 8.0);
            let far = out.hypot(lift);
            candidates.push((far, (x + MARK + 3.0 + out, y + lift)));
            candidates.push((far + 1.0, (x - MARK - 3.0 - out - width, y + lift)));
        }
        candidates.sort_by(|a, b| a.0.total_cmp(&b.0));
        let is_free = |&&(_, place): &&(f64, (f64, f64))| {
            let own = rect(place, width);
            let is_inside = own[0] >= within[0]
                && own[1] >= within[1]
                && own[2] <= within[2]
                && own[3] <= within[3];
            let covers = |other: &Rect| overlap(&own, other);
            is_inside && !taken.iter().any(covers) && !marks.iter().any(covers)
        };
        let place = candidates.iter().find(is_free);
        places[index] = place.map_or((x + MARK + 3.0, y), |(_, place)| *place);
        taken.push(rect(places[index], width));
    }
    places
}

/// Whether two rectangles share a part.
pub(super) fn overlap(a: &Rect, b: &Rect) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_their_distance_and_stay_within_the_ends() {
        let wanted = [50.0, 51.0, 52.0, 10.0, 99.0, 100.0];
        let places = spread(&wanted, 15.0, 0.0, 100.0);
        let mut sorted = places.clone();
        sorted.sort_by(f64::total_cmp);
        let apart = sorted.windows(2).all(|pair| pair[1] - pair[0] > 14.999);
        assert!(apart && sorted[0] >= 0.0 && sorted[5] <= 100.0, "{places:?}");
        // The order stays, and a label with room stays where it is.
        assert!(places[0] < places[1] && places[1] < places[2]);
        assert_eq!(places[3], 10.0);
        assert_eq!(spread(&[], 15.0, 0.0, 100.0), Vec::<f64>::new());
    }

    #[test]
    fn forty_names_in_one_corner_cover_neither_names_nor_marks() {
        let points: Vec<(f64, f64)> = (0..40)
            .map(|i| (100.0 + f64::from(i % 7) * 30.0, 100.0 + f64::from(i / 7) * 28.0))
            .collect();
        let widths = vec![70.0; 40];
        let places = beside(&points, &widths, 12.0, [0.0, 0.0, 600.0, 440.0]);
        let rects: Vec<Rect> =
            places.iter().map(|&(x, y)| [x, y - 6.0, x + 70.0, y + 6.0]).collect();
        for (i, a) in rects.iter().enumerate() {
            assert!(a[0] >= 0.0 && a[2] <= 600.0);
            assert!(rects[i + 1..].iter().all(|b| !overlap(a, b)), "{places:?}");
        }
    }
}
