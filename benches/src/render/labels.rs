//! Placing labels without overlap.

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

/// A rectangle: left, top, right, bottom.
pub(super) type Rect = [f64; 4];

/// Places text beside its points, on the first of four sides where it covers nothing. `lines` are
/// points on lines, also to be left uncovered. Returns the left end of each text, at half its
/// height.
pub(super) fn beside(
    points: &[(f64, f64)],
    widths: &[f64],
    height: f64,
    within: Rect,
    lines: &[(f64, f64)],
) -> Vec<(f64, f64)> {
    const MARK: f64 = 9.0;
    let mark = |&(x, y): &(f64, f64)| [x - MARK, y - MARK, x + MARK, y + MARK];
    let marks: Vec<Rect> = points.iter().map(mark).collect();
    let mut taken: Vec<Rect> = Vec::new();
    let mut places = Vec::new();
    for (index, (&(x, y), &width)) in points.iter().zip(widths).enumerate() {
        let half = height / 2.0;
        let mut candidates = Vec::new();
        for step in 0..8 {
            let shift = f64::from(step) * height;
            candidates.extend([
                (x + MARK + 3.0, y - shift),
                (x + MARK + 3.0, y + shift),
                (x - MARK - 3.0 - width, y - shift),
                (x - MARK - 3.0 - width, y + shift),
                (x - width / 2.0, y - MARK - half - shift),
                (x - width / 2.0, y + MARK + half + shift),
            ]);
        }
        let rect = |(left, middle): (f64, f64)| [left, middle - half, left + width, middle + half];
        let free = |&place: &(f64, f64)| {
            let own = rect(place);
            let inside = own[0] >= within[0]
                && own[1] >= within[1]
                && own[2] <= within[2]
                && own[3] <= within[3];
            let others = marks
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != index);
            inside
                && !taken.iter().any(|other| overlap(&own, other))
                && !others.map(|(_, mark)| mark).any(|mark| overlap(&own, mark))
                && !lines
                    .iter()
                    .any(|&(x, y)| overlap(&own, &[x - 1.0, y - 1.0, x + 1.0, y + 1.0]))
        };
        let place = candidates
            .iter()
            .copied()
            .find(free)
            .unwrap_or((x + MARK + 3.0, y));
        taken.push(rect(place));
        places.push(place);
    }
    places
}

fn overlap(a: &Rect, b: &Rect) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

/// The approximate width of text: the reader's browser chooses the font.
pub(super) fn width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * 0.56
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
        assert!(
            sorted.windows(2).all(|pair| pair[1] - pair[0] > 14.999),
            "{places:?}"
        );
        assert!(sorted[0] >= 0.0 && sorted[5] <= 100.0, "{places:?}");
        // The order stays, and a label with room stays where it is.
        assert!(places[0] < places[1] && places[1] < places[2]);
        assert_eq!(places[3], 10.0);
        assert_eq!(spread(&[], 15.0, 0.0, 100.0), Vec::<f64>::new());
    }

    #[test]
    fn words_beside_points_cover_neither_words_nor_points() {
        let points = [
            (100.0, 100.0),
            (104.0, 102.0),
            (160.0, 100.0),
            (290.0, 100.0),
        ];
        let widths = [80.0; 4];
        let places = beside(
            &points,
            &widths,
            16.0,
            [0.0, 0.0, 300.0, 300.0],
            &[(120.0, 100.0)],
        );
        let rects: Vec<Rect> = places
            .iter()
            .map(|&(x, y)| [x, y - 8.0, x + 80.0, y + 8.0])
            .collect();
        for (i, a) in rects.iter().enumerate() {
            assert!(a[2] <= 300.0 && !overlap(a, &[119.0, 99.0, 121.0, 101.0]));
            assert!(rects[i + 1..].iter().all(|b| !overlap(a, b)), "{places:?}");
        }
    }
}
