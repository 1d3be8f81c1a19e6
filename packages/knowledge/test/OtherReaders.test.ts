// OpenDocument, Rich Text, EPUB and mail.
import { assert, describe, it } from "@effect/vitest"
import * as Growth from "@svc-runtime/test-support/Growth"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { defaultLimits } from "../src/ReaderLimits.ts"
import { readSource } from "../src/readers/readSource.ts"
import { docx, wordParagraph, zip } from "./fixtures/office.ts"

Tier.oneIn(2)

const read = (name: string, content: string | Uint8Array, limits = {}) =>
  readSource({ name, bytes: Buffer.from(content as string) }, { ...defaultLimits, ...limits }).pipe(
    Effect.map((documents) => documents.map(({ id: _, name: __, ...document }) => document))
  )

const failure = (name: string, content: string | Uint8Array) => Effect.flip(read(name, content))

const names = ["office", "style", "text", "table", "draw", "presentation", "manifest"]
  .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`).join(" ")

const openDocument = (body: string, parts: Readonly<Record<string, string>> = {}) =>
  zip({
    "content.xml": `<office:document-content ${names}><office:body>${body}</office:body></office:document-content>`,
    ...parts
  })

describe("OpenDocument", () => {
  it.effect("headings, lists, tables and notes of a text become Markdown", () =>
    Effect.gen(function*() {
      const cell = (text: string, merged = "") =>
        `<table:table-cell ${merged}><text:p>${text}</text:p></table:table-cell>`
      const found = yield* read(
        "a.odt",
        openDocument(`<office:text><text:tracked-changes>deleted</text:tracked-changes>
          <text:h text:outline-level="2">Trains &amp; planes</text:h>
          <text:p>one<text:s text:c="2"/>two<text:line-break/>three<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>a note</text:p></text:note-body></text:note></text:p>
          <text:list><text:list-item><text:p>first</text:p></text:list-item></text:list>
          <table:table><table:table-row>${cell("Region")}${cell("Price")}</table:table-row>
          <table:table-row>${cell("North", "table:number-rows-spanned=\"2\"")}${cell("1")}</table:table-row>
          <table:table-row><table:covered-table-cell/>${cell("2")}</table:table-row></table:table></office:text>`)
      )
      assert.strictEqual(found.length, 1)
      const text = found[0]?.text ?? ""
      for (
        const part of [
          "## Trains & planes",
          "three (a note)",
          "- first",
          "| Region | Price |\n| --- | --- |\n| North | 1 |\n| North | 2 |"
        ]
      ) assert.include(text, part)
      assert.notInclude(text, "deleted")
    }))

  it.effect("numbered lists are numbered, also one inside of another and with a style of the document", () =>
    Effect.gen(function*() {
      const level = (at: number, format: string) =>
        `<text:list-level-style-number text:level="${at}" style:num-format="${format}"/>`
      const style = (name: string, levels: string) =>
        `<text:list-style style:name="${name}">${levels}</text:list-style>`
      const item = (text: string, more = "") => `<text:list-item><text:p>${text}</text:p>${more}</text:list-item>`
      const styled = (name: string, items: string) => `<text:list text:style-name="${name}">${items}</text:list>`
      const inner = `<text:list>${item("inner")}</text:list>`
      const content = `<office:text>${style("L1", level(1, "1") + level(2, "a"))}${style("L2", level(1, ""))}
        ${styled("L1", item("one", inner) + item("two"))}<text:p>and</text:p>${styled("L2", item("point"))}
        <text:p>and</text:p>${styled("Shared", item("first"))}</office:text>`
      const styles = `<office:document-styles ${names}>${style("Shared", level(1, "i"))}</office:document-styles>`
      const [document] = yield* read("a.odt", openDocument(content, { "styles.xml": styles }))
      const lines = (document?.text ?? "").split("\n").map((line) => line.trim().replace(/\s+/g, " "))
      for (const line of ["1. one", "1. inner", "2. two", "- point", "1. first"]) assert.include(lines, line)
    }))

  it.effect("headers are above a text and footers below it, each once", () =>
    Effect.gen(function*() {
      const paragraph = (text: string) => `<text:p>${text}</text:p>`
      const margins = (name: string, head: string, foot: string, more = "") =>
        `<style:master-page style:name="${name}"><style:header>${paragraph(head)}</style:header>` +
        `<style:header-first>${paragraph("First page")}</style:header-first>` +
        `<style:header-left style:display="false">${paragraph("Not shown")}</style:header-left>` +
        `<style:footer>${paragraph(foot)}</style:footer>${more}</style:master-page>`
      const styles = `<office:document-styles ${names}><office:master-styles>${
        margins("Standard", "ACME &amp; Sons", "Order 77") + margins("Second", "ACME &amp; Sons", "")
      }</office:master-styles></office:document-styles>`
      const bytes = openDocument(`<office:text>${paragraph("Ten pears")}</office:text>`, { "styles.xml": styles })
      assert.strictEqual((yield* read("a.odt", bytes))[0]?.text, "ACME & Sons\n\nFirst page\n\nTen pears\n\nOrder 77")
    }))

  it.effect("comments and the alternative texts of pictures are at their places", () =>
    Effect.gen(function*() {
      const comment =
        "<office:annotation><dc:creator>Ann</dc:creator><dc:date>2026</dc:date><text:p>is &lt;7&gt;</text:p>" +
        "<text:p>really</text:p></office:annotation>"
      const picture = "<draw:frame><draw:image/><svg:title>Map</svg:title><svg:desc>of Rome</svg:desc></draw:frame>"
      const text = openDocument(
        `<office:text><text:p>Price${comment} 5</text:p><text:p>${picture}</text:p></office:text>`
      )
      assert.strictEqual(
        (yield* read("a.odt", text))[0]?.text.replace(/ +/g, " "),
        "Price (Comment: is <7> really) 5\n\nMap of Rome"
      )
    }))

  it.effect("each slide of a presentation is a document with its notes", () =>
    Effect.gen(function*() {
      const slide = (text: string, notes = "") =>
        `<draw:page><draw:frame><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>${notes}</draw:page>`
      const notes = "<presentation:notes><text:p>Say hello</text:p></presentation:notes>"
      const slides = openDocument(`<office:presentation>${slide("First", notes)}${slide("Last")}</office:presentation>`)
      assert.deepStrictEqual(yield* read("a.odp", slides), [
        { text: "First\n\nNotes: Say hello", metadata: { page: 1 } },
        { text: "Last", metadata: { page: 2 } }
      ])
    }))

  it.effect("a note keeps its signs, and a slide without text is named", () =>
    Effect.gen(function*() {
      const note =
        "<text:note><text:note-body><text:p>a &lt;b&gt;</text:p><text:p>c</text:p></text:note-body></text:note>"
      const text = openDocument(`<office:text><text:p>x${note} end</text:p></office:text>`)
      assert.strictEqual((yield* read("a.odt", text))[0]?.text, "xa <b> c) end")
      const slide = "<draw:page><text:p>One</text:p></draw:page><draw:page><draw:frame/></draw:page>"
      const [, problem] = yield* read("a.odp", openDocument(`<office:presentation>${slide}</office:presentation>`))
      assert.include(problem?.problem, "Slide 2 has no text")
    }))

  it.effect("repeated cells inside of repeated cells do not multiply without a limit", () =>
    Effect.gen(function*() {
      const cell = (content: string): string =>
        `<table:table><table:table-row><table:table-cell table:number-columns-repeated="100">${content}` +
        "</table:table-cell></table:table-row></table:table>"
      const [document] = yield* read("a.odt", openDocument(`<office:text>${cell(cell(cell(cell("x"))))}</office:text>`))
      assert.isBelow(document?.text.length ?? Infinity, 5_000_000)
    }))

  it.effect("a document that is protected or of another kind says why it is not read", () =>
    Effect.gen(function*() {
      const manifest = "<manifest:manifest><manifest:encryption-data/></manifest:manifest>"
      const encrypted = openDocument("", { "META-INF/manifest.xml": manifest })
      assert.strictEqual((yield* failure("a.odt", encrypted)).reason, "encrypted")
      assert.strictEqual((yield* failure("a.odt", openDocument("<office:drawing/>"))).reason, "broken")
      assert.strictEqual((yield* failure("a.odt", "text")).reason, "mismatch")
      assert.strictEqual((yield* failure("a.odt", docx(wordParagraph("x")))).reason, "broken")
    }))
})

describe("Rich Text", () => {
  it.effect.each([
    [
      String.raw`{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}{\*\generator Word;}\f0 Gr\'f6\'dfe\par 5 \u8364?\par}`,
      "Größe\n5 €"
    ],
    [String.raw`{\rtf1\ansi\ansicpg936 \'c9\'cc\'c6\'b7\tab {\b bold} \{x\}}`, "商品 bold {x}"],
    [String.raw`{\rtf1\uc2\u21830\'c9\'cc\u21697\'c6\'b7{\pict\bin4 }}{\ end}`, "商品"],
    [String.raw`{\rtf1\ansi\ansicpg932 \'83e\'83X\'83g}`, "テスト"],
    [
      String
        .raw`{\rtf1\ansicpg1252\deff0{\fonttbl{\f0\fcharset204 A;}{\f1\fcharset0 B;}}\'cf\'f0\'e8{\f1 caf\'e9}\'e2}`,
      "Приcaféв"
    ],
    [
      String
        .raw`{\rtf1 a{\shp{\*\shpinst{\sp{\sn type}{\sv 202}}{\shptxt box\par}}{\shprslt box}}b{\*\footnote a note}c`,
      "a\nbox\nb (a note)c"
    ],
    [
      String.raw`{\rtf1 kept{\deleted gone}{\v hidden{\xe entry}}\v0 , 5\u8364\par Next\u8211\endash{\u8364}?}`,
      "kept, 5€\nNext–€?"
    ],
    [String.raw`{\rtf1 {\*\nesttableprops\nestrow}{\nonesttables\par}a\nestcell{\*\nesttableprops\nestrow}b}`, "a\nb"],
    [String.raw`{\rtf1\u-99999?\u?\uc-5\uc99999999\bin9999999999 x}`, "\u7961?"],
    [
      String.raw`{\rtf1{\header ACME\par}{\headerf First\par}{\footer Order 77}a\sect{\header ACME\par}{\footer {}}b}`,
      "ACME\n\nFirst\n\na\n\nb\n\nOrder 77"
    ],
    [
      String
        .raw`{\rtf1 5{\*\atnid A}{\*\atnauthor Ann}\chatn{\*\annotation{\*\atnref 0}{\chatn}is 7}.{\*\annotation }}`,
      "5 (Comment: is 7)."
    ],
    [String.raw`{\rtf1{\upr{ansi {only}}{\*\ud{\uc0\u1047 unicode}}} end{\v{\upr{a}{\*\ud b}}}}`, "Зunicode end"],
    [
      String.raw`{\rtf1{\object\objemb{\*\objclass x}{\objdata 00}{\result\pard result{\pict 00}}} end}`,
      "result end"
    ],
    [
      String.raw`{\rtf1\trowd\clmgf\cellx1\clmrg\cellx2\cellx3\intbl AB\cell\cell C\cell\row` +
      String.raw`\trowd\clvmgf\cellx1\cellx2\intbl m\par n\cell 1\cell\row\trowd\clvmrg\cellx1\cellx2\intbl\cell 2` +
      String
        .raw`\cell\trowd\clvmrg\cellx1\cellx2\row\trowd\clvmrg\cellx1\cellx2\pard\intbl{\cell 3\cell}\row\pard after}`,
      "AB | AB | C\nm\nn | 1\nm n | 2\nm n | 3\nafter"
    ],
    [String.raw`{\rtf1 {\info{\title hidden}}a\cell b\cell\row c\emdash d\~e}`, "a | b\nc—d\u00a0e"]
  ])("the text of %j is read without fonts and properties", ([rtf, text]) =>
    Effect.gen(function*() {
      assert.strictEqual((yield* read("a.rtf", rtf!))[0]?.text, text)
    }))

  it.effect("a cell that is merged over many rows adds a bounded text", () =>
    Effect.gen(function*() {
      const cells = String.raw`\trowd\clvmrg\cellx1\cellx2\cell b\cell\row`
      const first = `\\trowd\\clvmgf\\cellx1\\cellx2 ${"x".repeat(100_000)}\\cell b\\cell\\row`
      const [document] = yield* read("a.rtf", `{\\rtf1 ${first}${cells.repeat(2000)}}`)
      assert.isBelow(document?.text.length ?? Infinity, 2 * 1024 * 1024)
    }))

  it.effect("comments inside of comments are one, however many there are", () =>
    Effect.gen(function*() {
      const nested = (times: number) => `{\\rtf1 a${String.raw`{\*\annotation b`.repeat(times)}${"}".repeat(times)}c}`
      assert.strictEqual((yield* read("a.rtf", nested(3)))[0]?.text, "a (Comment: b b b)c")
      const [document] = yield* read("a.rtf", nested(3000))
      assert.isBelow(document?.text.length ?? Infinity, 7000)
    }))

  it.effect("groups without an end, and a text that is no Rich Text", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* read("a.rtf", `{\\rtf1 ${"{".repeat(100_000)}deep`))[0]?.text, "deep")
      assert.strictEqual((yield* failure("a.rtf", "plain")).reason, "mismatch")
    }))
})

describe("EPUB", () => {
  const container = "<container><rootfiles><rootfile full-path=\"OEBPS/book.opf\"/></rootfiles></container>"
  const book =
    `<opf:package xmlns:opf="o" xmlns:dc="d"><opf:metadata><dc:title>A book</dc:title></opf:metadata><opf:manifest>
    <opf:item id="b" href="text/two.xhtml"/><opf:item id="a" href="one%20chapter.xhtml"/></opf:manifest>
    <opf:spine><opf:itemref idref="a"/><opf:itemref idref="b"/><opf:itemref idref="none"/></opf:spine></opf:package>`
  const page = (text: string) =>
    `<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html><head><title>t</title></head><body><h1>${text}</h1></body></html>`
  const parts = {
    mimetype: "application/epub+zip",
    "META-INF/container.xml": container,
    "OEBPS/book.opf": book,
    "OEBPS/one chapter.xhtml": page("One"),
    "OEBPS/text/two.xhtml": page("Two &amp; more")
  }

  it.effect("each chapter is a document, in the order of the book", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* read("a.epub", zip(parts)), [
        { text: "# One", metadata: { page: 1, title: "A book" } },
        { text: "# Two & more", metadata: { page: 2, title: "A book" } }
      ])
    }))

  it.effect("the title of a book is read in the encoding of its package", () =>
    Effect.gen(function*() {
      const encoded = `<?xml version="1.0" encoding="iso-8859-1"?>${book.replace("A book", "B\u00fccher")}`
      const [chapter] = yield* read("a.epub", zip({ ...parts, "OEBPS/book.opf": encoded }))
      assert.strictEqual(chapter?.metadata["title"], "B\u00fccher")
    }))

  it.effect("a path that is no URL, and one of every object, lose no other chapter", () =>
    Effect.gen(function*() {
      const item = (id: string, path: string) => `<item id="${id}" href="${path}"/>`
      const spine = ["a", "a", "b", "c", "d", "e"].map((id) => `<itemref idref="${id}"/>`).join("")
      const items = item("a", "100%.xhtml") + item("b", "../constructor") + item("c", "http://[") + item("d", "..") +
        item("e", "R&amp;D.xhtml")
      const odd = zip({
        ...parts,
        "OEBPS/book.opf": `<package><manifest>${items}</manifest><spine>${spine}</spine></package>`,
        "OEBPS/100%.xhtml": page("Hundred"),
        "OEBPS/R&D.xhtml": page("Research")
      })
      assert.deepStrictEqual(yield* read("a.epub", odd), [
        { text: "# Hundred", metadata: { page: 1 } },
        { text: "# Research", metadata: { page: 2 } }
      ])
    }))

  it.effect("elements that XML closes do not take the rest of the chapter", () =>
    Effect.gen(function*() {
      const chapter =
        "<?xml version=\"1.0\"?><html><head><title/></head><body><p>One<script src='x'/> two</p></body></html>"
      const closed = zip({ ...parts, "OEBPS/one chapter.xhtml": chapter })
      assert.strictEqual((yield* read("a.epub", closed))[0]?.text, "One two")
    }))

  it.effect("a chapter that a book lists many times is looked for once", () =>
    Effect.gen(function*() {
      const many = zip({
        ...parts,
        "OEBPS/book.opf": book.replace("</opf:spine>", `${"<opf:itemref idref=\"a\"/>".repeat(40_000)}</opf:spine>`),
        "META-INF/encryption.xml": `<encryption>${"<CipherReference URI=\"font\"/>".repeat(300_000)}</encryption>`
      })
      const begun = Growth.threadMillis()
      assert.lengthOf(yield* read("a.epub", many), 2)
      assert.isBelow(Growth.threadMillis() - begun, 3000)
    }))

  it.effect("a protected book, a broken one and another archive say why they are not read", () =>
    Effect.gen(function*() {
      const encryption = "<encryption><CipherReference URI=\"OEBPS/text/two.xhtml\"/></encryption>"
      const encrypted = zip({ ...parts, "META-INF/encryption.xml": encryption })
      assert.strictEqual((yield* failure("a.epub", encrypted)).reason, "encrypted")
      assert.strictEqual((yield* failure("a.epub", zip({ "META-INF/container.xml": container }))).reason, "broken")
      assert.strictEqual((yield* failure("a.epub", "text")).reason, "mismatch")
    }))
})

describe("mail", () => {
  const part = (type: string, body: string, more = "") => `--b\r\nContent-Type: ${type}\r\n${more}\r\n${body}\r\n`
  const attached = (name: string) => `Content-Disposition: attachment; filename="${name}"\r\n`
  const base64 = "Content-Transfer-Encoding: base64\r\n"

  it.effect("the encoded subject, the text and the attachments are read", () =>
    Effect.gen(function*() {
      const mail = [
        "From: =?utf-8?Q?J=C3=BCrgen?= <j@example.org>\r\nTo: a@example.org, b@example.org\r\n",
        "Subject: =?utf-8?B?R3LDtsOfZQ==?=\r\nDate: Sat, 28 Nov 2026 10:00:00 +0000\r\n",
        "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n",
        part("text/plain; charset=utf-8", "Sch=C3=B6n =\r\nlang", "Content-Transfer-Encoding: quoted-printable\r\n"),
        part("text/csv", Buffer.from("name,size\nAnn,3").toString("base64"), base64 + attached("a.csv")),
        part(
          "application/octet-stream",
          Buffer.from([0, 1, 2, 3, 4, 5, 6, 7, 14, 15]).toString("base64"),
          base64 + attached("a.bin")
        ),
        "--b--\r\n"
      ].join("")
      assert.deepStrictEqual(yield* read("a.eml", mail), [
        {
          text: "Subject: Größe\nFrom: Jürgen <j@example.org>\nTo: a@example.org, b@example.org\n" +
            "Date: 2026-11-28T10:00:00.000Z\n\nSchön lang",
          metadata: { title: "Größe" }
        },
        { text: "name: Ann, size: 3", metadata: { attachment: "a.csv" } },
        { text: "", metadata: { attachment: "a.bin" }, problem: "a.bin: The content is binary data, not text" }
      ])
    }))

  it.effect("a mail of HTML becomes Markdown, and a text without a header is no mail", () =>
    Effect.gen(function*() {
      const mail = "Subject: Hello\r\nContent-Type: text/html\r\n\r\n<h1>Hi</h1><p>there</p>"
      assert.strictEqual((yield* read("a.eml", mail))[0]?.text, "Subject: Hello\n\n# Hi\n\nthere")
      assert.strictEqual((yield* failure("a.eml", "\r\n\r\nplain text")).reason, "mismatch")
    }))

  it.effect("a mail of an old program declares no charset", () =>
    Effect.gen(function*() {
      const mail = Buffer.from("Subject: a\r\n\r\nGr\xf6\xdfe", "latin1")
      assert.strictEqual((yield* read("a.eml", mail))[0]?.text, "Subject: a\n\nGröße")
    }))

  it.effect("the page of a mail has the limits of a page", () =>
    Effect.gen(function*() {
      const mail = `Subject: a\r\nContent-Type: text/html\r\n\r\n${"<div>".repeat(1100)}x`
      assert.deepInclude(yield* failure("a.eml", mail), {
        reason: "too_large",
        message: "The page is nested deeper than 1000 levels"
      })
    }))

  it.effect("an attachment of an attached mail has the names of both", () =>
    Effect.gen(function*() {
      const withFile = (name: string, content: string) =>
        "Subject: a\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n" +
        part("application/octet-stream", Buffer.from(content).toString("base64"), base64 + attached(name)) + "--b--\r\n"
      const found = yield* read("a.eml", withFile("inner.eml", withFile("a.csv", "name,size\nAnn,3")))
      assert.deepStrictEqual(found.map(({ metadata }) => metadata["attachment"]), [
        undefined,
        "inner.eml",
        "inner.eml/a.csv"
      ])
    }))

  const related = (html: string, ...parts: ReadonlyArray<string>) =>
    "Subject: a\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n" +
    part("text/html", html) + parts.join("") + "--b--\r\n"

  it.effect("documents beside the page of a mail are read, and pictures that the page shows are left out", () =>
    Effect.gen(function*() {
      const png = Buffer.from("\x89PNG\r\n\x1a\n", "latin1").toString("base64")
      const found = yield* read(
        "a.eml",
        related(
          "<p>See the list <img src=\"cid:logo%40x\"><img src=cid:sign></p>",
          part("image/png", png, `${base64}Content-ID: <logo@x>\r\n`),
          part("application/octet-stream", png, `${base64}Content-ID: <sign>\r\n`),
          part("image/png", png, `${base64}Content-ID: <scan>\r\n${attached("scan.png")}`),
          part(
            "text/csv",
            Buffer.from("name,size\nAnn,3").toString("base64"),
            `${base64}Content-ID: <list>\r\n${attached("a.csv")}`
          )
        )
      )
      assert.deepStrictEqual(found.slice(1), [
        {
          text: "",
          metadata: { attachment: "scan.png" },
          problem: "scan.png: The content is a PNG image. Pictures have no text: run text recognition over them first"
        },
        { text: "name: Ann, size: 3", metadata: { attachment: "a.csv" } }
      ])
    }))

  it.effect("the page of a mail is read where its plain text is another one", () =>
    Effect.gen(function*() {
      const alternative = (text: string, html: string) =>
        "Subject: a\r\nMIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=b\r\n\r\n" +
        part("text/plain", text) + part("text/html", html) + "--b--\r\n"
      const table = "<table><tr><td>quokka</td><td>5</td></tr></table>"
      const bodyOf = (mail: string) =>
        Effect.map(read("a.eml", mail), (found) => found.map(({ text }) => text.slice(12)))
      assert.deepStrictEqual(yield* bodyOf(alternative("No page is shown here.", table)), [
        "No page is shown here.\n\n| quokka | 5 |\n| --- | --- |"
      ])
      assert.deepStrictEqual(yield* bodyOf(alternative("The price of a quokka: 5", table)), [
        "The price of a quokka: 5"
      ])
      const [text, page] = yield* read("a.eml", alternative("plain text", "<div>".repeat(1100)))
      assert.strictEqual(text?.text, "Subject: a\n\nplain text")
      assert.strictEqual(page?.problem, "The HTML of the mail: The page is nested deeper than 1000 levels")
    }))

  it.effect("mails inside of mails are read to a limit", () =>
    Effect.gen(function*() {
      const nested = (depth: number): string =>
        depth === 0
          ? "Subject: Innermost\r\n\r\nend"
          : `Subject: Level ${depth}\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b${depth}\r\n\r\n` +
            `--b${depth}\r\nContent-Type: application/octet-stream\r\n${base64}${attached(`${depth}.eml`)}\r\n` +
            `${Buffer.from(nested(depth - 1)).toString("base64")}\r\n--b${depth}--\r\n`
      const found = yield* read("a.eml", nested(5))
      assert.deepStrictEqual(found.flatMap(({ problem }) => problem ?? []), ["3.eml: It is nested too deep"])
    }))
})
