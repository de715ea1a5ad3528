//! The HTML page of the demo: one file, no outside resources.

use super::canvas::PlotError;

/// A picture with the words around it.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Stem of the picture's own file.
    pub name: &'static str,
    /// Heading over the picture.
    pub heading: &'static str,
    /// What one sees, in a sentence or two.
    pub sentence: String,
    /// The picture.
    pub svg: String,
}

impl Figure {
    /// A figure of a picture that was just drawn.
    ///
    /// # Errors
    /// That of the picture.
    pub fn new(
        name: &'static str,
        heading: &'static str,
        sentence: String,
        svg: Result<String, PlotError>,
    ) -> Result<Self, PlotError> {
        Ok(Figure { name, heading, sentence, svg: svg? })
    }
}

/// What the page holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// Title of the page.
    pub title: String,
    /// Paragraph under the title.
    pub summary: String,
    /// Header of the table.
    pub header: Vec<&'static str>,
    /// Rows of the table, as long as the header.
    pub rows: Vec<Vec<String>>,
    /// Remark under the table.
    pub remark: String,
    /// The pictures.
    pub figures: Vec<Figure>,
    /// Line at the foot.
    pub foot: String,
}

/// Everything looks the same in black and white, and in one column on a phone, where the table's rows become cards.
const STYLE: &str = "
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0; background: #fff; color: #181c24;
  font: 1rem/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif; }
main, footer { max-width: 82rem; margin: 0 auto; padding: 0 1.25rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 1.6rem 0 .4rem; }
h2 { font-size: 1.15rem; margin: 0 0 .4rem; }
p { margin: .4rem 0 1rem; max-width: 48rem; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0 .4rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .4rem .7rem .4rem 0; border-bottom: 1px solid #c4ced8; vertical-align: top; }
thead th { border-bottom: 2px solid #181c24; }
tbody th { font-weight: 600; }
td { white-space: nowrap; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr));
  gap: 2.2rem 2.5rem; margin: 1.6rem 0; align-items: start; }
figure { margin: 0; min-width: 0; break-inside: avoid; }
figure svg { display: block; width: 100%; max-width: 100%; height: auto; }
figcaption { margin-top: .4rem; max-width: 40rem; }
footer { border-top: 1px solid #c4ced8; padding-top: .8rem; padding-bottom: 1.6rem; overflow-wrap: anywhere; }
@media (max-width: 44rem) {
  main, footer { padding-left: .9rem; padding-right: .9rem; }
  thead { display: none; }
  table, tbody, tr, th, td { display: block; }
  tr { border-bottom: 1px solid #181c24; padding: .5rem 0; }
  th, td { border: 0; padding: .1rem 0; }
  td { white-space: normal; display: grid; grid-template-columns: 9.5rem 1fr; gap: .6rem; }
  td::before { content: attr(data-name); color: #4a5361; }
  td:empty { display: none; }
}
";

/// The page's HTML.
pub fn render(page: &Page) -> String {
    let figures: String = page.figures.iter().map(render_figure).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n\
         <h1>{title}</h1>\n<p>{summary}</p>\n{table}<p>{remark}</p>\n\
         <div class=\"figures\">\n{figures}</div>\n</main>\n<footer>{foot}</footer>\n</body>\n</html>\n",
        title = escape(&page.title),
        summary = escape(&page.summary),
        table = render_table(page),
        remark = escape(&page.remark),
        foot = escape(&page.foot),
    )
}

fn render_table(page: &Page) -> String {
    let header: String = page.header.iter().map(|name| format!("<th scope=\"col\">{}</th>", escape(name))).collect();
    let mut html = format!("<table>\n<thead><tr>{header}</tr></thead>\n<tbody>\n");
    for row in &page.rows {
        html.push_str("<tr>");
        for (index, (cell, name)) in row.iter().zip(&page.header).enumerate() {
            let cell = escape(cell);
            if index == 0 {
                html.push_str(&format!("<th scope=\"row\">{cell}</th>"));
            } else {
                html.push_str(&format!("<td data-name=\"{}\">{cell}</td>", escape(name)));
            }
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody>\n</table>\n");
    html
}

fn render_figure(figure: &Figure) -> String {
    let described = format!("<svg role=\"img\" aria-label=\"{}\" ", escape(&figure.sentence));
    let svg = figure.svg.replacen("<svg ", &described, 1);
    format!(
        "<figure id=\"{}\">\n<h2>{}</h2>\n{svg}<figcaption>{}</figcaption>\n</figure>\n",
        figure.name,
        escape(figure.heading),
        escape(&figure.sentence),
    )
}

/// `text` with the characters that mean something in HTML replaced; a number keeps its percent sign beside it.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            other => escaped.push(other),
        }
    }
    escaped.replace(" %", "&nbsp;%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_open_tags_and_nothing_is_loaded_from_outside() {
        let figure = Figure {
            name: "one",
            heading: "One",
            sentence: "a < b & \"c\"".to_owned(),
            svg: "<svg width=\"1\"></svg>".to_owned(),
        };
        let page = Page {
            title: "<script>".to_owned(),
            summary: String::new(),
            header: vec!["job", "time"],
            rows: vec![vec!["price".to_owned(), "1 s".to_owned()]],
            remark: String::new(),
            figures: vec![figure],
            foot: "GPU <x>".to_owned(),
        };
        let html = render(&page);
        assert!(!html.contains("<script>") && html.contains("GPU &lt;x&gt;"));
        assert!(html.contains("aria-label=\"a &lt; b &amp; &quot;c&quot;\""));
        assert!(!html.contains("src=") && !html.contains("url("));
    }
}
