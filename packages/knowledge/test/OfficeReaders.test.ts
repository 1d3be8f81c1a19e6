import { utils, write } from "@e965/xlsx"
import { assert, describe, it } from "@effect/vitest"
import * as Growth from "@svc-runtime/test-support/Growth"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { unzipSync, zipSync } from "fflate"
import { defaultLimits } from "../src/ReaderLimits.ts"
import { readSource } from "../src/readers/readSource.ts"
import { docx, pptx, wordParagraph, wordTable, xlsx, zip } from "./fixtures/office.ts"

Tier.oneIn(2)

const read = (name: string, bytes: Uint8Array, limits = {}) =>
  readSource({ name, bytes }, { ...defaultLimits, ...limits }).pipe(
    Effect.map((documents) => documents.map(({ emptyPages: _, id: __, name: ___, ...document }) => document))
  )

const failure = (name: string, bytes: Uint8Array, limits = {}) => Effect.flip(read(name, bytes, limits))

/** The container of Office before 2007, as far as readers look. */
const compound = (text: string) =>
  new Uint8Array(
    Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.from(text, "utf16le"), Buffer.alloc(600)])
  )

describe("Word documents", () => {
  it.effect("headings, tables and text become Markdown", () =>
    Effect.gen(function*() {
      const bytes = docx(
        wordParagraph("Trains & planes", "Heading1") +
          wordParagraph("A *text* with _marks_, \u00fcber Gr\u00f6\u00dfe.") +
          wordTable([["Name", "Size"], ["Ann | Bob", "3"]]) + wordParagraph("The end")
      )
      assert.deepStrictEqual(yield* read("a.docx", bytes), [{
        text: [
          "# Trains & planes",
          "A *text* with _marks_, über Größe.",
          "| Name | Size |\n| --- | --- |\n| Ann \\| Bob | 3 |",
          "The end"
        ].join("\n\n"),
        metadata: {}
      }])
    }))

  it.effect("headers are above the text and footers below it, each once", () =>
    Effect.gen(function*() {
      const word = "xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\""
      const header = (...lines: ReadonlyArray<string>) =>
        `<w:hdr ${word}>${lines.map((line) => wordParagraph(line)).join("")}</w:hdr>`
      const footer = `<w:ftr ${word}>${wordParagraph("Order 77")}<w:p/></w:ftr>`
      const parts = {
        "word/header1.xml": header("ACME & Sons", "Invoice"),
        "word/header2.xml": header("ACME & Sons", "Invoice"),
        "word/header3.xml": header(""),
        "word/footer1.xml": footer,
        "word/footer12.xml": footer
      }
      const [document] = yield* read("a.docx", docx(wordParagraph("Ten pears"), parts))
      assert.strictEqual(document?.text, "ACME & Sons\nInvoice\n\nTen pears\n\nOrder 77")
    }))

  it.effect("merged cells of a table have their text in each of their places", () =>
    Effect.gen(function*() {
      const cell = (text: string, merged = "") => `<w:tc><w:tcPr>${merged}</w:tcPr>${wordParagraph(text)}</w:tc>`
      const row = (...cells: ReadonlyArray<string>) => `<w:tr>${cells.join("")}</w:tr>`
      const table = row(cell("Region"), cell("Product"), cell("Price")) +
        row(cell("North", "<w:vMerge w:val=\"restart\"/>"), cell("Pear"), cell("11")) +
        row(cell("", "<w:vMerge/>"), cell("Yam"), cell("22")) +
        row(cell("South, all", "<w:gridSpan w:val=\"2\"/>"), cell("33"))
      const [document] = yield* read("a.docx", docx(`<w:tbl>${table}</w:tbl>`))
      assert.strictEqual(
        document?.text,
        "| Region | Product | Price |\n| --- | --- | --- |\n| North | Pear | 11 |\n| North | Yam | 22 |\n" +
          "| South, all | South, all | 33 |"
      )
    }))

  const math = "xmlns:m=\"http://schemas.openxmlformats.org/officeDocument/2006/math\""

  it.effect("equations are read as lines", () =>
    Effect.gen(function*() {
      const run = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`
      const e = (text: string) => `<m:e>${run(text)}</m:e>`
      const fraction = `<m:f><m:num>${run("a+b")}</m:num><m:den>${run("c")}</m:den></m:f>`
      const power = `<m:sSup>${e("x")}<m:sup>${run("2")}</m:sup></m:sSup>`
      const sum = `<m:nary><m:naryPr><m:chr m:val="\u2211"/></m:naryPr><m:sub>${run("i=1")}</m:sub><m:sup>${
        run("n")
      }</m:sup>${e("i")}</m:nary>`
      const root = `<m:rad><m:deg>${run("3")}</m:deg>${e("y")}</m:rad>`
      const matrix = `<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr><m:e><m:m><m:mr>${e("1")}${
        e("2")
      }</m:mr><m:mr>${e("3")}${e("4")}</m:mr></m:m></m:e></m:d>`
      const body =
        `<w:p><w:r><w:t xml:space="preserve">Energy: </w:t></w:r><m:oMath ${math}>${
          run("E=m&amp;&lt;")
        }${power}</m:oMath><w:r><w:t xml:space="preserve"> holds.</w:t></w:r></w:p>` +
        `<w:p><m:oMathPara ${math}><m:oMathParaPr/><m:oMath>${fraction}${
          run("=")
        }${sum}</m:oMath></m:oMathPara></w:p>` +
        `<w:p><m:oMath ${math}>${root}${run("=")}${matrix}</m:oMath></w:p>`
      const [document] = yield* read("a.docx", docx(body))
      assert.deepStrictEqual(document?.text.split("\n\n"), [
        "Energy: E=m&<x^2 holds.",
        "(a+b)/c=\u2211_(i=1)^n i",
        "root_3(y)=[1, 2; 3, 4]"
      ])
    }))

  it.effect("a picture has its alternative text, once", () =>
    Effect.gen(function*() {
      const drawing = (properties: string, more = "") =>
        `<w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing">` +
        `<wp:docPr id="1" name="Picture 1" ${properties}/>${more}</wp:inline></w:drawing></w:r>`
      const picture = `<a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData>` +
        `<pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:blipFill><a:blip r:embed="rId1" ` +
        `xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"/></pic:blipFill></pic:pic>` +
        `</a:graphicData></a:graphic>`
      const shape = `<w:r><w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml" alt="A drawn star"/></w:pict></w:r>`
      const body = `<w:p>${drawing("descr=\"Sales &amp; costs\"")}</w:p>` +
        `<w:p>${drawing("descr=\"A map\" title=\"Map\"", picture)}</w:p><w:p>${shape}</w:p>`
      const [document] = yield* read("a.docx", docx(body))
      const paragraphs = document?.text.split("\n\n").map((paragraph) => paragraph.trim())
      assert.deepStrictEqual(paragraphs, ["Sales & costs", "A map", "A drawn star"])
    }))

  it.effect("a comment is at its place, also one of a note, and only once", () =>
    Effect.gen(function*() {
      const word = "xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\""
      const comment = (id: number, text: string) => `<w:comment w:id="${id}">${wordParagraph(text)}<w:p/></w:comment>`
      const reference = (id: number) => `<w:r><w:commentReference w:id="${id}"/></w:r>`
      const [document] = yield* read(
        "a.docx",
        docx(
          `<w:p><w:r><w:t>Price 5</w:t></w:r>${reference(0)}${reference(0)}<w:r><w:t> or less</w:t></w:r></w:p>` +
            `<w:p><w:r><w:t>End</w:t></w:r>${reference(1)}${reference(7)}</w:p>`,
          { "word/comments.xml": `<w:comments ${word}>${comment(0, "wrong, it is <7>")}${comment(1, "")}</w:comments>` }
        )
      )
      assert.strictEqual(document?.text, "Price 5 (Comment: wrong, it is <7>) or less\n\nEnd")
    }))

  it.effect.each(
    [
      [
        "a.doc",
        compound("WordDocument"),
        "unsupported",
        "Word documents of the format before 2007 (.doc) cannot be read. " +
        "Save the document as .docx"
      ],
      ["a.docx", compound("EncryptedPackage"), "encrypted", "The document is protected by a password"],
      ["a.docx", Buffer.from("plain text"), "mismatch", "The content is not a Word document"],
      ["a.docx", Buffer.from("%PDF-1.7"), "mismatch", "The content is not a Word document: it is a PDF document"],
      ["a.docx", xlsx({ A: [["x"]] }), "broken", "The content is not a Word document, or is damaged"],
      [
        "a.docx",
        docx(wordParagraph("text")).subarray(0, 400),
        "broken",
        "The content is not a Word document, or is damaged"
      ],
      ["a.docx", docx(""), "empty", "The content has no text"]
    ] as const
  )("a Word document that cannot be read as %s says why", ([name, bytes, reason, message]) =>
    Effect.gen(function*() {
      assert.deepInclude(yield* failure(name, bytes), { reason, message })
    }))
})

describe("workbooks", () => {
  it.effect("each sheet is a document with a line for each row", () =>
    Effect.gen(function*() {
      const bytes = xlsx({ "One & only": [["Name", "Size"], ["Ann\nB.", 3], [], ["", 4.5]], Two: [["x"]], Empty: [] })
      assert.deepStrictEqual(yield* read("a.xlsx", bytes), [
        { text: "Name: Ann B., Size: 3\nSize: 4.5", metadata: { sheet: "One & only", page: 1 } },
        { text: "x", metadata: { sheet: "Two", page: 2 } }
      ])
    }))

  it.effect("a workbook of OpenDocument without styles is read", () =>
    Effect.gen(function*() {
      const book = utils.book_new()
      utils.book_append_sheet(book, utils.aoa_to_sheet([["Name", "Size"], ["Ann", 3]]), "A")
      const { "styles.xml": styles, ...parts } = unzipSync(
        new Uint8Array(write(book, { type: "array", bookType: "ods" }))
      )
      assert.isDefined(styles)
      const [document] = yield* read("a.ods", zipSync(parts))
      assert.strictEqual(document?.text, "Name: Ann, Size: 3")
    }))

  it.effect("merged cells have their value in each of their places", () =>
    Effect.gen(function*() {
      const book = utils.book_new()
      const sheet = utils.aoa_to_sheet([
        ["Prices of 2026", null, null],
        ["Region", "Product", "Price"],
        ["North", "Pear", 11],
        [null, "Yam", 22],
        ["South, all", null, 33]
      ])
      sheet["!merges"] = [
        { s: { r: 0, c: 0 }, e: { r: 0, c: 2 } },
        { s: { r: 2, c: 0 }, e: { r: 3, c: 0 } },
        { s: { r: 4, c: 0 }, e: { r: 4, c: 1 } }
      ]
      utils.book_append_sheet(book, sheet, "A")
      for (const bookType of ["xlsx", "ods"] as const) {
        const bytes = new Uint8Array(write(book, { type: "array", bookType }))
        const [document] = yield* read(`a.${bookType}`, bytes)
        assert.strictEqual(
          document?.text,
          "Prices of 2026, Prices of 2026, Prices of 2026\nRegion: North, Product: Pear, Price: 11\n" +
            "Region: North, Product: Yam, Price: 22\nRegion: South, all, Product: South, all, Price: 33"
        )
      }
    }))

  it.effect("a cell that is merged over a whole sheet adds a bounded text", () =>
    Effect.gen(function*() {
      const book = utils.book_new()
      const sheet = utils.aoa_to_sheet(Array.from({ length: 3000 }, (_, row) => [row === 0 ? "a long text" : row]))
      sheet["!merges"] = [{ s: { r: 0, c: 0 }, e: { r: 1_000_000, c: 16_000 } }]
      utils.book_append_sheet(book, sheet, "A")
      const [document] = yield* read("a.xlsx", new Uint8Array(write(book, { type: "array", bookType: "xlsx" })))
      assert.isBelow(document?.text.length ?? 0, 2 * 1024 * 1024)
    }))

  it.effect("workbooks of the format before 2007 are read", () =>
    Effect.gen(function*() {
      const book = utils.book_new()
      const rows = [["Name", "When"], ["Ann", new Date(Date.UTC(2026, 1, 3))]]
      utils.book_append_sheet(book, utils.aoa_to_sheet(rows, { UTC: true }), "Old")
      const bytes = new Uint8Array(write(book, { type: "array", bookType: "biff8" }))
      assert.deepStrictEqual(yield* read("a.xls", bytes), [
        { text: "Name: Ann, When: 2026-02-03", metadata: { sheet: "Old", page: 1 } }
      ])
    }))

  const sheetOf = (cells: string, more = "") => {
    const main = "xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\""
    return `<worksheet ${main}><sheetData>${cells}</sheetData>${more}</worksheet>`
  }

  it.effect("numbers keep their digits, in each kind of workbook", () =>
    Effect.gen(function*() {
      const book = utils.book_new()
      const numbers = [4006381333931, 123456789012345, Math.PI, 0.1 + 0.2, -0.000012345, Number("1234567890123456789")]
      const sheet = utils.aoa_to_sheet(numbers.map((number) => [number]))
      sheet["A1"].z = "0.00E+00"
      utils.book_append_sheet(book, sheet, "A")
      for (const bookType of ["xlsx", "biff8"] as const) {
        const bytes = new Uint8Array(write(book, { type: "array", bookType }))
        const [document] = yield* read(bookType === "xlsx" ? "a.xlsx" : "a.xls", bytes)
        assert.deepStrictEqual(document?.text.split("\n"), [
          "4006381333931",
          "123456789012345",
          "3.14159265358979",
          "0.3",
          "-0.000012345",
          "1.23456789012346e+18"
        ])
      }
    }))

  const ods = (cells: string) => {
    const names = ["office", "table", "text"]
      .map((each) => `xmlns:${each}="urn:oasis:names:tc:opendocument:xmlns:${each}:1.0"`).join(" ")
    const content = `<office:document-content ${names}><office:body><office:spreadsheet><table:table table:name="A">` +
      `<table:table-row>${cells}</table:table-row>` +
      "</table:table></office:spreadsheet></office:body></office:document-content>"
    return zip({
      "content.xml": content,
      "META-INF/manifest.xml": "<manifest/>",
      mimetype: "application/vnd.oasis.opendocument.spreadsheet"
    })
  }

  it.effect("formulas without a stored value are shown and named", () =>
    Effect.gen(function*() {
      const name = (reference: string, text: string) => `<c r="${reference}" t="inlineStr"><is><t>${text}</t></is></c>`
      const part = sheetOf(
        `<row r="1">${name("A1", "Sum")}<c r="B1" s="0"><f>SUM(C1:D1)&amp;"x"</f></c></row>` +
          `<row r="2">${name("A2", "Half")}<c r="B2"><f t="shared" si="0"/><v></v></c></row>` +
          `<row r="3">${name("A3", "Known")}<c r="B3"><f>1+1</f><v>2</v></c></row>`
      )
      const problem = "2 formulas have no stored value and are shown as they are written. " +
        "Save the workbook in a spreadsheet program to store the values"
      assert.deepStrictEqual(yield* read("a.xlsx", xlsx({ A: [] }, { "xl/worksheets/sheet1.xml": part })), [
        { text: "Sum, =SUM(C1:D1)&\"x\"\nHalf, =(formula)\nKnown, 2", metadata: { sheet: "A", page: 1 } },
        { text: "", metadata: {}, problem }
      ])
      const cells = "<table:table-cell table:formula=\"of:=SUM([.B1:.C1])\"/>" +
        "<table:table-cell table:formula=\"of:=1+1\" office:value-type=\"float\" office:value=\"2\"/>"
      const [sheet, last] = yield* read("a.ods", ods(cells))
      assert.strictEqual(sheet?.text, "=SUM(B1:C1), 2")
      assert.include(last?.problem, "A formula has no stored value")
    }))

  it.effect("the empty text is a stored value of a formula", () =>
    Effect.gen(function*() {
      const empty = ["<v></v>", "<v/>"].map((value, index) =>
        `<row r="${index + 2}"><c r="B${index + 2}" t="str"><f>IF(A2="","",A2*2)</f>${value}</c></row>`
      )
      const part = sheetOf(`<row r="1"><c r="A1"><v>1</v></c><c r="B1"><f>A1*2</f><v>2</v></c></row>${empty.join("")}`)
      assert.deepStrictEqual(yield* read("a.xlsx", xlsx({ A: [] }, { "xl/worksheets/sheet1.xml": part })), [
        { text: "1, 2", metadata: { sheet: "A", page: 1 } }
      ])
      const type = "office:value-type=\"string\""
      const formula = "table:formula=\"of:=IF([.A1]=&quot;&quot;;&quot;&quot;;1)\""
      const cells = `<table:table-cell office:value-type="float" office:value="1"/>` +
        `<table:table-cell ${formula} ${type} office:string-value=""/>` +
        `<table:table-cell ${formula} ${type}> <text:p/> </table:table-cell>`
      assert.deepStrictEqual(yield* read("a.ods", ods(cells)), [{ text: "1", metadata: { sheet: "A", page: 1 } }])
    }))

  it.effect("formulas in sheets with many blanks and brackets are read within seconds", () =>
    Effect.gen(function*() {
      const blanks = " ".repeat(50_000)
      const began = Growth.threadMillis()
      const sheet = sheetOf(`<row r="1"><c r="A1"><f>1</f>${blanks}<x/></c><c r="B1"><v>1</v></c></row>`)
      yield* read("a.xlsx", xlsx({ A: [] }, { "xl/worksheets/sheet1.xml": sheet }))
      const formulas = "table:formula=\"\" ".repeat(100)
      yield* read("a.ods", ods(`<table:table-cell ${formulas}>${blanks}<text:p>1</text:p></table:table-cell>`))
      yield* read("a.ods", ods(`<table:table-cell table:formula="${"[.".repeat(100_000)}"/>`))
      assert.isBelow(Growth.threadMillis() - began, 2000)
    }))

  it.effect("comments are read with their cells", () =>
    Effect.gen(function*() {
      const book = utils.book_new()
      const sheet = utils.aoa_to_sheet([["item", "price"], ["tea", 5]])
      const comments = Object.assign([{ a: "Ann", t: "only until\nMay" }], { hidden: true })
      sheet["B2"].c = comments
      utils.book_append_sheet(book, sheet, "A")
      for (const bookType of ["xlsx", "ods"] as const) {
        const bytes = new Uint8Array(write(book, { type: "array", bookType }))
        const [document] = yield* read(`a.${bookType}`, bytes)
        assert.strictEqual(document?.text, "item: tea, price: 5 (Comment: only until May)")
      }
    }))

  const lastColumn = (rows: number) => {
    const cells = Array.from(
      { length: rows },
      (_, row) => `<row r="${row + 1}"><c r="XFD${row + 1}"><v>7</v></c></row>`
    )
    return xlsx({ A: [] }, { "xl/worksheets/sheet1.xml": sheetOf(cells.join("")) })
  }

  it.effect("a sheet with its cells in the last column is read by the cells that it has", () =>
    Effect.gen(function*() {
      const began = Growth.threadMillis()
      const [document] = yield* read("a.xlsx", lastColumn(5000))
      assert.lengthOf(document?.text.match(/7/g) ?? [], 5000)
      assert.isBelow(Growth.threadMillis() - began, 5000)
    }))

  it.effect("a sheet with too many empty places before its cells is refused", () =>
    Effect.gen(function*() {
      const error = yield* failure("a.xlsx", lastColumn(300), { nodes: 20_000 })
      assert.deepInclude(error, { reason: "too_large", message: "A sheet has more than 200000 places" })
    }))

  it.effect("a sheet with more empty places than a reader has time for is refused within seconds", () =>
    Effect.gen(function*() {
      const bytes = lastColumn(60_000)
      const began = Growth.threadMillis()
      const error = yield* failure("a.xlsx", bytes)
      assert.strictEqual(error.reason, "too_large")
      assert.isBelow(Growth.threadMillis() - began, 5000)
    }))

  it.effect("a sheet that says to have billions of cells is read by the cells that it has", () =>
    Effect.gen(function*() {
      const sheet =
        "<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><dimension ref=\"A1:XFD1048576\"/>" +
        "<sheetData><row r=\"1\"><c r=\"A1\"><v>1</v></c></row><row r=\"1048576\"><c r=\"XFD1048576\"><v>2</v></c></row>" +
        "</sheetData></worksheet>"
      const parts = { "xl/worksheets/sheet1.xml": sheet }
      const [document] = yield* read("a.xlsx", xlsx({ A: [] }, parts))
      assert.deepStrictEqual(document?.text.split("\n").map((line) => line.replace(/[ ,]/g, "")), ["1", "2"])
    }))

  it.effect.each(
    [
      ["a.xlsx", compound("EncryptedPackage"), "encrypted", "The document is protected by a password"],
      ["a.xls", compound("Nothing"), "broken", "The content is not a workbook, or is damaged"],
      ["a.xlsx", Buffer.from("a,b"), "mismatch", "The content is not a workbook"],
      ["a.xlsx", zip({ "a.txt": "x" }), "broken", "The content is not a workbook, or is damaged"]
    ] as const
  )("a workbook that cannot be read as %s says why", ([name, bytes, reason, message]) =>
    Effect.gen(function*() {
      assert.deepInclude(yield* failure(name, bytes), { reason, message })
    }))
})

describe("presentations", () => {
  it.effect("each slide is a document with its notes, in the order of the slides", () =>
    Effect.gen(function*() {
      const bytes = pptx([{ lines: ["First", "Second & third"], notes: "Say hello" }, { lines: [] }, {
        lines: ["Last"]
      }])
      assert.deepStrictEqual(yield* read("a.pptx", bytes), [
        { text: "First\nSecond & third\n\nNotes: Say hello", metadata: { page: 1 } },
        { text: "Last", metadata: { page: 3 } },
        { text: "", metadata: {}, problem: "Slide 2 has no text. Pictures of text need text recognition first" }
      ])
    }))

  it.effect("a slide has its equations, alternative texts, and comments of old and new programs", () =>
    Effect.gen(function*() {
      const relation = (id: string, type: string, target: string) =>
        `<Relationship Id="${id}" Type="http://schemas.example.org/relationships/${type}" Target="${target}"/>`
      const slide =
        `<p:sld><p:pic><p:cNvPr descr="A map &amp;&#10;more"/></p:pic><p:cNvPr descr=""/><a:p><a:r><a:t>Energy: </a:t></a:r><a14:m><m:oMath><m:r><m:t>E=m</m:t></m:r></m:oMath>` +
        `</a14:m></a:p></p:sld>`
      const bytes = pptx([{ lines: [] }], {
        "ppt/slides/slide1.xml": slide,
        "ppt/slides/_rels/slide1.xml.rels": `<Relationships>${
          relation("r1", "comments", "../comments/comment1.xml") +
          relation("r2", "comments", "../comments/modern.xml") +
          relation("r3", "comments", "../comments/none.xml")
        }</Relationships>`,
        "ppt/comments/comment1.xml": `<p:cmLst><p:cm><p:text>Old</p:text></p:cm></p:cmLst>`,
        "ppt/comments/modern.xml": `<p188:cmLst><p188:cm><p188:txBody><a:p><a:r><a:t>New</a:t></a:r></a:p>` +
          `</p188:txBody></p188:cm></p188:cmLst>`
      })
      const [document] = yield* read("a.pptx", bytes)
      assert.strictEqual(document?.text, "Energy: E=m\n\nA map & more\n\n(Comment: Old)\n\n(Comment: New)")
    }))

  it.effect("a slide in folders with long names is read in linear time", () =>
    Effect.gen(function*() {
      const path = `slides/${"x".repeat(60_000)}/slide1.xml`
      const bytes = pptx([], {
        "ppt/presentation.xml": `<p:presentation>${"<p:sldId id=\"1\" r:id=\"r1\"/>".repeat(3)}</p:presentation>`,
        "ppt/_rels/presentation.xml.rels":
          `<Relationships><Relationship Id="r1" Type="x/slide" Target="${path}"/></Relationships>`,
        [`ppt/${path}`]: "<p:sld><a:p><a:r><a:t>Far away</a:t></a:r></a:p></p:sld>"
      })
      const begun = Growth.threadMillis()
      assert.strictEqual((yield* read("a.pptx", bytes))[0]?.text, "Far away")
      assert.isBelow(Growth.threadMillis() - begun, 1000)
    }))

  it.effect.each(
    [
      [
        "a.ppt",
        compound("PowerPoint Document"),
        "unsupported",
        "Presentations of the format before 2007 (.ppt) cannot be " +
        "read. Save the presentation as .pptx"
      ],
      ["a.pptx", docx(wordParagraph("x")), "broken", "The content is not a presentation, or has no slides"]
    ] as const
  )("a presentation that cannot be read as %s says why", ([name, bytes, reason, message]) =>
    Effect.gen(function*() {
      assert.deepInclude(yield* failure(name, bytes), { reason, message })
    }))
})

describe("archives that would use too much", () => {
  const text = wordParagraph("text")

  it.effect("the unpacked size is limited before anything is unpacked", () =>
    Effect.gen(function*() {
      const bytes = docx(text, { "word/other.xml": "x".repeat(3_000_000) })
      assert.isBelow(bytes.length, 10_000)
      const error = yield* failure("a.docx", bytes, { unpackedBytes: 1024 * 1024 })
      assert.deepInclude(error, { reason: "too_large", message: "The parts of the document have more than 1 MiB" })
    }))

  it.effect("an entry is not longer than it says", () =>
    Effect.gen(function*() {
      const bytes = docx(text, { "word/other.xml": "x".repeat(3_000_000) })
      // the size in the directory at the end of the archive
      const place = Buffer.from(bytes).lastIndexOf("word/other.xml") - 46 + 24
      new DataView(bytes.buffer, bytes.byteOffset).setUint32(place, 100, true)
      const [document] = yield* read("a.docx", bytes, { unpackedBytes: 1024 * 1024 })
      assert.strictEqual(document?.text, "text")
    }))

  it.effect("the number of parts is limited", () =>
    Effect.gen(function*() {
      const parts = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`word/${index}.xml`, "x"]))
      const error = yield* failure("a.docx", docx(text, parts), { entries: 30 })
      assert.deepInclude(error, { reason: "too_large", message: "The document has more than 30 parts" })
    }))

  it.effect.each(["utf8", "utf16le"] as const)("entities are refused in %s", (encoding) =>
    Effect.gen(function*() {
      const part = "<?xml version=\"1.0\"?><!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\">]><x>&b;</x>"
      const bytes = docx(text, { "word/document.xml": Buffer.from(part, encoding).toString("latin1") })
      const error = yield* failure("a.docx", bytes)
      assert.deepInclude(error, {
        reason: "broken",
        message: "The document defines entities, which Office documents do not"
      })
    }))

  it.effect("a document that is nested too deep is refused", () =>
    Effect.gen(function*() {
      const error = yield* failure("a.docx", docx("<w:p>".repeat(50_000) + "</w:p>".repeat(50_000)))
      assert.strictEqual(error.reason, "too_large")
    }))
})
