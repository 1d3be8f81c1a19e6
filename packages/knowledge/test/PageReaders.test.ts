// HTML and PDF.
import { assert, describe, it } from "@effect/vitest"
import * as Growth from "@svc-runtime/test-support/Growth"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { defaultLimits } from "../src/ReaderLimits.ts"
import { textOf } from "../src/readers/pdfAnnotations.ts"
import { readSource } from "../src/readers/readSource.ts"
import { isDeeper } from "../src/readers/tagDepth.ts"
import { docx } from "./fixtures/office.ts"
import { pdf, pdfOf } from "./fixtures/pdf.ts"

Tier.oneIn(2)

const read = (name: string, content: string | Uint8Array, limits = {}) =>
  readSource({ name, bytes: Buffer.from(content as string) }, { ...defaultLimits, ...limits }).pipe(
    Effect.map((documents) => documents.map(({ emptyPages: _, id: __, name: ___, ...document }) => document))
  )

const failure = (name: string, content: string | Uint8Array, limits = {}) => Effect.flip(read(name, content, limits))

describe("markup that is nested deep", () => {
  const isRefused = Effect.fnUntraced(function*(name: string, content: string | Uint8Array, message: string) {
    const began = Growth.threadMillis()
    assert.deepInclude(yield* failure(name, content), { reason: "too_large", message })
    assert.isBelow(Growth.threadMillis() - began, 5000)
  })

  it.effect.each(["<div>", "<b><i><p>", "<td><p>", "<svg><b a='>'>", "<p/><table><tr>"])(
    "a page of many %s is refused before it is parsed",
    (tags) => isRefused("a.html", tags.repeat(200_000), "The page is nested deeper than 1000 levels")
  )

  it.effect("a document of Office whose elements are nested deep is refused before it is parsed", () =>
    isRefused("a.docx", docx("<w:x>".repeat(200_000)), "The document is nested deeper than 10000 levels"))

  it.effect.each([
    "<p>a",
    "<li>a",
    "<tr><td>a",
    "<dt>a<dd>b",
    "<div><b>a</div>",
    "<br><img src='a>b'><input>",
    "<svg><path d='M0'/><path/></svg>",
    "<!-- <div> -->",
    "<script>let a = '<div>'</script>",
    "a < b <1>"
  ])("a flat page of many %s is not deep", (tags) => Effect.sync(() => assert.isFalse(isDeeper(tags.repeat(1000), 20))))
})

describe("HTML", () => {
  const sentence = "This text of the article is long enough, with commas, to be found. "

  it.effect("the article of a page becomes Markdown, with its title", () =>
    Effect.gen(function*() {
      const page = `<!doctype html><html><head><title>Trains &amp; planes</title><style>p { color: red }</style></head>
        <body><nav><a href="/">Home</a><a href="/about">About us</a></nav>
        <article><h2>Tables</h2><p>${sentence.repeat(10)}</p>
        <table><thead><tr><th>Name</th><th>Size</th></tr></thead><tbody><tr><td>Ann | Bob</td><td>3</td></tr></tbody></table>
        <ul><li>one</li><li>two <a href="https://example.org">linked</a></li></ul><ol><li>first</li><li>second</li></ol>
        <pre><code>let x = 1\nlet y</code></pre></article>
        <footer>Imprint</footer><script>const secret = 1</script></body></html>`
      assert.deepStrictEqual(yield* read("a.html", page), [{
        text: [
          "# Trains & planes",
          "## Tables",
          sentence.repeat(10).trim(),
          "| Name | Size |\n| --- | --- |\n| Ann \\| Bob | 3 |",
          "- one\n- two linked",
          "1. first\n2. second",
          "```\nlet x = 1\nlet y\n```"
        ].join("\n\n"),
        metadata: { title: "Trains & planes" }
      }])
    }))

  it.effect("a page without an article is read as a whole, without scripts", () =>
    Effect.gen(function*() {
      const found = yield* read("a.htm", "<ul><li>one</li><li>two</li></ul><script>const secret = 1</script>")
      assert.deepStrictEqual(found, [{ text: "- one\n- two", metadata: {} }])
    }))

  it.effect("merged cells of a hostile table add a bounded text", () =>
    Effect.gen(function*() {
      const row = `<tr>${"<td colspan=\"1000\" rowspan=\"1000\">hello</td>".repeat(20)}</tr>`
      const [document] = yield* read("a.html", `<table>${row.repeat(200)}</table>`)
      assert.isBelow(document?.text.length ?? 0, 3_000_000)
    }))

  it.effect("the charset of a page is the one that its head declares", () =>
    Effect.gen(function*() {
      const page = Buffer.from(
        "<html><head><meta charset=\"iso-8859-2\"></head><body><p>\xb1\xe6</p></body></html>",
        "latin1"
      )
      assert.strictEqual((yield* read("a.html", page))[0]?.text, "ąć")
    }))

  it.effect("a page that is deeper than articles are is read as a whole", () =>
    Effect.gen(function*() {
      const page = `<body>${"<div>".repeat(400)}deep${"</div>".repeat(400)}</body>`
      assert.strictEqual((yield* read("a.html", page))[0]?.text, "deep")
    }))

  it.effect("an element with too many attributes is refused, also without spaces between them", () =>
    Effect.gen(function*() {
      const names = Array.from({ length: 1001 }, (_, index) => `a${index}`)
      for (const text of [names.map((name) => `${name}=1`).join(" "), names.map((name) => `${name}="1"`).join("")]) {
        assert.deepInclude(yield* failure("a.html", `<p>One</p><a ${text}>x</a>`), {
          reason: "too_large",
          message: "An element of the page has more than 1000 attributes"
        })
      }
      const few = names.slice(0, 100).map((name) => `${name}="a b / = c"`).join(" ")
      assert.strictEqual((yield* read("a.html", `<p ${few}>One</p>`))[0]?.text, "One")
    }))

  it.effect.each(
    Tier.some(["<br>&nbsp", "<br>&#10;", "<br><!--[if x]><![endif]-->", "<br><b></b>", "<br title=\">\">"], 1)
  )(
    "white space in a row takes time in proportion to its length: %j",
    (space) =>
      Effect.gen(function*() {
        const [found] = yield* read("a.html", `<p>One${space.repeat(8000)}two</p>`)
        assert.match(found?.text ?? "", /^One\s+two$/)
      })
  )

  it.effect("many line breaks in a row are an empty line, and what is behind them stays", () =>
    Effect.gen(function*() {
      const breaks = "<br>".repeat(20)
      const textOf = (html: string) => Effect.map(read("a.html", html), (found) => found[0]?.text)
      assert.match((yield* textOf(`<p>One${breaks}two</p>`)) ?? "", /^One {0,2}\n {0,2}\ntwo$/)
      const commented = `<div>One<!-- old ${breaks}<!-- x --> two</div><p>Three</p>`
      assert.match((yield* textOf(commented)) ?? "", /^One\s+two\s+Three$/)
      assert.match((yield* textOf(`<pre>if:\n${breaks}    then</pre>`)) ?? "", /^if:\s+\n {4}then$/)
    }))

  it.effect("a page that is too deep or too large is refused", () =>
    Effect.gen(function*() {
      assert.deepInclude(yield* failure("a.html", `${"<div>".repeat(2000)}deep`), {
        reason: "too_large",
        message: "The page is nested deeper than 1000 levels"
      })
      assert.deepInclude(yield* failure("a.html", "<br>".repeat(100), { nodes: 99 }), {
        reason: "too_large",
        message: "The page has more than 99 elements"
      })
    }))
})

describe("PDF", () => {
  it.effect("each page with text is a document", () =>
    Effect.gen(function*() {
      const found = yield* read("a.pdf", pdf([["First page (one)", "Second line"], [], ["Third page"]]))
      assert.deepStrictEqual(found, [
        { text: "First page (one)\nSecond line", metadata: { page: 1 } },
        { text: "Third page", metadata: { page: 3 } },
        { text: "", metadata: {}, problem: "Page 2 has no text. Scanned pages need text recognition first" }
      ])
    }))

  const catalog = "<< /Type /Catalog /Pages 2 0 R >>"
  const font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
  const content = (text: string) => `<< /Length ${text.length} >>\nstream\n${text}\nendstream`
  const page = (contents: number, fields: string) =>
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents ${contents} 0 R ${fields} >>`
  const annotation = (fields: string) => `<< /Type /Annot /Rect [10 10 90 30] ${fields} >>`

  it("many annotations of a page add a bounded text", () => {
    const annotations = Array.from(
      { length: 100 },
      () => ({ subtype: "Text", contentsObj: { str: "A".repeat(100_000) } })
    )
    assert.isBelow(textOf(annotations).length, 1_200_000)
    assert.strictEqual(
      textOf([...annotations.slice(0, 1), { subtype: "FreeText", contentsObj: { str: "b" } }]).at(-1),
      "b"
    )
  })

  it.effect("the values of a form and the texts of annotations are below the text of their page", () =>
    Effect.gen(function*() {
      const annotations = [
        "/Subtype /Widget /FT /Tx /T (form[0].name[0]) /V (Quokka Ltd)",
        "/Subtype /Widget /FT /Tx /T (empty)",
        "/Subtype /Widget /FT /Tx /T (secret) /V (hidden) /F 2",
        "/Subtype /Widget /FT /Ch /T (land) /TU (Land of birth) /V (nz) /Opt [[(nz) (New Zealand)] [(fj) (Fiji)]]",
        "/Subtype /Widget /FT /Btn /T (agreed) /V /Yes /AS /Yes /AP << /N << /Yes 5 0 R /Off 5 0 R >> >>",
        "/Subtype /Widget /FT /Btn /T (refused) /V /Off /AS /Off /AP << /N << /Yes 5 0 R /Off 5 0 R >> >>",
        "/Subtype /FreeText /Contents (Typed by hand)",
        "/Subtype /Highlight /Contents (Is this right?) /QuadPoints [10 30 90 30 10 10 90 10]",
        "/Subtype /Text /Contents (Ask Ann)",
        "/Subtype /Link /Contents (a link)"
      ]
      const ids = annotations.map((_, index) => `${6 + index} 0 R`).join(" ")
      const bytes = pdfOf([
        catalog,
        "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        page(5, `/Resources << /Font << /F1 4 0 R >> >> /Annots [${ids}]`),
        font,
        content("BT /F1 12 Tf 20 200 Td (Name of the customer:) Tj ET"),
        ...annotations.map(annotation)
      ])
      assert.deepStrictEqual(yield* read("a.pdf", bytes), [{
        text: "Name of the customer:\n\nname: Quokka Ltd\nLand of birth: New Zealand\nagreed: Yes\nTyped by hand\n" +
          "(Comment: Is this right?)\n(Comment: Ask Ann)",
        metadata: { page: 1 }
      }])
    }))

  it.effect("a form that only its own program can show is named", () =>
    Effect.gen(function*() {
      const bytes = pdfOf([
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [] /XFA 6 0 R >> >>",
        "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        page(5, "/Resources << /Font << /F1 4 0 R >> >>"),
        font,
        content("BT /F1 12 Tf 20 200 Td (Please wait) Tj ET"),
        content("<xdp/>")
      ])
      const [, found] = yield* read("a.pdf", bytes)
      assert.strictEqual(
        found?.problem,
        "The form of the document has the format XFA, which is not read. Print it into a PDF document first"
      )
    }))

  /** A page of a font that does not name its letters, after a page with text. */
  const unnamed = (mapping: string, pages: string, more = "") =>
    pdfOf([
      catalog,
      pages,
      page(6, "/Resources << /Font << /F1 5 0 R >> >>"),
      page(7, "/Resources << /Font << /F1 5 0 R /F2 8 0 R >> >>"),
      font,
      content("BT /F1 12 Tf 20 200 Td (Readable) Tj ET"),
      content(`BT ${more} /F2 12 Tf 20 200 Td <0024002500260027002800290030> Tj ET`),
      `<< /Type /Font /Subtype /Type0 /BaseFont /ABCDEF+Odd /Encoding /Identity-H /DescendantFonts [9 0 R] ${mapping} >>`,
      "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /ABCDEF+Odd /FontDescriptor 10 0 R " +
      "/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>",
      "<< /Type /FontDescriptor /FontName /ABCDEF+Odd /Flags 4 /FontBBox [0 0 1000 1000] /ItalicAngle 0 /Ascent 800 " +
      "/Descent -200 /CapHeight 700 /StemV 80 >>",
      content("1 begincodespacerange <0000> <FFFF> endcodespacerange 1 beginbfrange <0024> <0030> <0041> endbfrange")
    ])

  const both = "<< /Type /Pages /Count 2 /Kids [3 0 R 4 0 R] >>"
  const last = "<< /Type /Pages /Count 1 /Kids [4 0 R] >>"

  it.effect("a page whose font does not name its letters has no text", () =>
    Effect.gen(function*() {
      const found = yield* readSource({ name: "a.pdf", bytes: unnamed("", both) }, defaultLimits)
      assert.deepStrictEqual(found.map(({ emptyPages, problem, text }) => ({ text, problem, emptyPages })), [
        { text: "Readable", problem: undefined, emptyPages: undefined },
        {
          text: "",
          problem: "Page 2 has text in a font that does not name its letters. It needs text recognition first",
          emptyPages: [2]
        }
      ])
      assert.deepInclude(yield* failure("a.pdf", unnamed("", last)), {
        reason: "empty",
        message: "The fonts of the PDF document do not name their letters: run text recognition over it first"
      })
      assert.strictEqual((yield* read("a.pdf", unnamed("/ToUnicode 11 0 R", last)))[0]?.text, "ABCDEFM")
    }))

  it.effect("the letters of other fonts on such a page are read, and the rest is named", () =>
    Effect.gen(function*() {
      const found = yield* read("a.pdf", unnamed("", last, "/F1 12 Tf (A HEADING IN LARGE LETTERS) Tj 0 -20 Td"))
      assert.deepStrictEqual(found, [
        { text: "A HEADING IN LARGE LETTERS", metadata: { page: 1 } },
        {
          text: "",
          metadata: {},
          problem: "A part of page 1 has a font that does not name its letters, and is left out"
        }
      ])
    }))

  it.effect("a few bytes before a document do not matter", () =>
    Effect.gen(function*() {
      const found = yield* read("a.pdf", Buffer.concat([Buffer.from("\r\n\r\n"), pdf([["Text"]])]))
      assert.strictEqual(found[0]?.text, "Text")
    }))

  const encryption =
    `/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${"41".repeat(32)}> /U <${"42".repeat(32)}> >> ` +
    `/ID [<${"43".repeat(16)}> <${"43".repeat(16)}>]`

  it.effect.each(
    [
      [
        "has pictures only",
        pdf([[]]),
        "empty",
        "The PDF document has no text. Scanned pages are pictures: run text recognition over them first"
      ],
      ["needs a password", pdf([["Text"]], encryption), "encrypted", "The PDF document is protected by a password"],
      ["is no PDF", Buffer.from("text"), "mismatch", "The content is not a PDF document"],
      [
        "is an Office document",
        docx(""),
        "mismatch",
        "The content is not a PDF document: it is a ZIP archive or an Office document"
      ],
      [
        "has nothing but its first line",
        Buffer.from("%PDF-1.7\nnothing"),
        "broken",
        "The content is not a PDF document, or is damaged"
      ]
    ] as const
  )("a file that %s says why it cannot be read", ([, bytes, reason, message]) =>
    Effect.gen(function*() {
      assert.deepInclude(yield* failure("a.pdf", bytes), { reason, message })
    }))

  it.effect("a document whose end is missing is read as far as it goes", () =>
    Effect.gen(function*() {
      const whole = pdf([["First"], ["Second"]])
      const found = yield* read("a.pdf", whole.subarray(0, whole.lastIndexOf(0x73)))
      assert.strictEqual(found[0]?.text, "First")
    }))
})
