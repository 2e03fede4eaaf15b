# tocuda, Apache-2.0.
"""The page that shows all pictures of a folder: plain HTML that requests nothing from anywhere."""

import html

PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>tocuda: pictures</title>
<style>
body {{ font: 16px/1.5 sans-serif; max-width: 72rem; margin: 1rem auto; padding: 0 1rem; }}
img {{ max-width: 100%; height: auto; border: 1px solid #ccc; background: white; }}
pre {{ white-space: pre-wrap; overflow-wrap: anywhere; }}
</style>
<h1>tocuda: pictures</h1>
<ol>{contents}</ol>
{pictures}
</html>
"""
PICTURE = """<section id="{name}"><h2>{question}</h2>
{image}
<p>{links}</p>
<details><summary>What is drawn</summary><pre>{words}</pre></details></section>
"""


def picture(sheet, files):
    links = " · ".join(f'<a href="{one.name}">{one.name}</a>' for one in files)
    shown = next((one.name for one in files if one.suffix in (".svg", ".png")), None)
    image = f'<a href="{shown}"><img src="{shown}" alt="{html.escape(sheet.question)}"></a>' if shown else ""
    said = {"question": html.escape(sheet.question), "words": html.escape(sheet.words)}
    return PICTURE.format(name=sheet.name, image=image, links=links, **said)


def write(folder, drawn):
    """`drawn` holds (sheet, its files)."""
    contents = "".join(f'<li><a href="#{sheet.name}">{html.escape(sheet.question)}</a></li>' for sheet, _ in drawn)
    path = folder / "index.html"
    pictures = "".join(picture(*one) for one in drawn)
    path.write_text(PAGE.format(contents=contents, pictures=pictures), encoding="utf-8")
    return path
