//! From plotters' output to an SVG with both colour schemes, a title and a description.

use super::style::{self, Dash, Ink};
use maud::html;

/// Replaces sentinel colours by classes, and prepends the text alternative.
///
/// The light colour stays as an attribute, for viewers without style sheets.
pub(super) fn dressed(drawn: &str, scale: u32, slug: &str, title: &str, alt: &str) -> String {
    let mut body = match drawn
        .split_once("<svg")
        .and_then(|(_, rest)| rest.split_once('>'))
    {
        Some((_, body)) => body.to_owned(),
        None => return String::new(),
    };
    for ink in Ink::all() {
        for dash in Dash::ALL {
            body = with_class(&body, ink, dash, scale);
        }
    }
    let body = body.replace(" opacity=\"1\"", "").replace('\n', "");
    let body = body
        .replace("<text ", "\n<text ")
        .replace("<poly", "\n<poly");
    let (width, height) = size(drawn);
    let words = html! {
        title id={ (slug) "-title" } { (title) }
        desc id={ (slug) "-desc" } { (alt) }
    };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-labelledby=\"{slug}-title {slug}-desc\">{}{body}",
        words.into_string()
    )
}

fn with_class(body: &str, ink: Ink, dash: Dash, scale: u32) -> String {
    let [red, green, blue] = ink.sentinel(dash);
    let sentinel = format!("#{red:02X}{green:02X}{blue:02X}");
    let (name, (light, _)) = (ink.name(), ink.colours());
    let broken = dash.lengths().map_or_else(String::new, |(dash, gap)| {
        format!(" stroke-dasharray=\"{} {}\"", dash * scale, gap * scale)
    });
    let stroke = format!("class=\"s-{name}\" stroke=\"{light}\"{broken}");
    let fill = format!("class=\"f-{name}\" fill=\"{light}\"");
    body.replace(&format!("stroke=\"{sentinel}\""), &stroke)
        .replace(&format!("fill=\"{sentinel}\""), &fill)
}

/// The picture as a standalone file in its natural size, with the style sheet of both schemes.
pub(super) fn file(svg: &str, scale: u32) -> String {
    let (width, height) = view_box(svg);
    let opening = format!(
        "<svg width=\"{}\" height=\"{}\"",
        width / scale,
        height / scale
    );
    let dressed = svg.replacen("<svg", &opening, 1);
    match dressed.split_once("><title") {
        Some((head, rest)) => format!(
            "{head}><style>{}</style><title{rest}\n",
            style::sheet("svg")
        ),
        None => dressed,
    }
}

/// Width and height in plotters' own opening tag.
fn size(drawn: &str) -> (u32, u32) {
    let number = |name: &str| {
        let (_, rest) = drawn.split_once(&format!("{name}=\""))?;
        rest.split_once('"')?.0.parse().ok()
    };
    (number("width").unwrap_or(1), number("height").unwrap_or(1))
}

fn view_box(svg: &str) -> (u32, u32) {
    let numbers = || {
        let (_, rest) = svg.split_once("viewBox=\"0 0 ")?;
        let (width, height) = rest.split_once('"')?.0.split_once(' ')?;
        Some((width.parse().ok()?, height.parse().ok()?))
    };
    numbers().unwrap_or((1, 1))
}
