import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Source } from "../src/Document.ts"
import * as Catalogue from "../src/ReaderCatalogue.ts"
import { defaultLimits } from "../src/ReaderLimits.ts"
import { readSource } from "../src/readers/readSource.ts"

type Described = Omit<Source, "bytes" | "text">

const readBytes = (bytes: Uint8Array, source: Described, limits = {}) =>
  readSource({ ...source, bytes }, { ...defaultLimits, ...limits })

const readText = (text: string, name: string, source: Described = {}) =>
  readBytes(Buffer.from(text), { name, ...source }).pipe(
    Effect.map((documents) => documents.map(({ metadata, text }) => ({ metadata, text })))
  )

const failure = <A, E>(effect: Effect.Effect<A, E>) => Effect.flip(effect)

describe("the choice of a reader", () => {
  it.each([
    [{ name: "a.csv", type: "application/json" }, "csv"],
    [{ name: "A.CSV" }, "csv"],
    [{ name: "a.tsv" }, "csv"],
    [{ name: "a.ods" }, "excel"],
    [{ name: "a.ODT" }, "opendocument"],
    [{ name: "letter", type: "message/rfc822" }, "email"],
    [{ name: "book", type: "application/epub+zip" }, "epub"],
    [{ name: "letter", type: "text/rtf; charset=utf-8" }, "rtf"],
    [{ name: "report", type: "application/octet-stream", bytes: Buffer.from("%PDF-1.7") }, "pdf"],
    [{ name: "report", bytes: Buffer.from("<!DOCTYPE html><p>") }, "html"],
    [{ name: "report.txt", bytes: Buffer.from("%PDF-1.7") }, "text"],
    [{ name: "report", type: "application/json; charset=utf-8" }, "json"],
    [{ name: "report", type: "application/vnd.api+json" }, "json"],
    [{ name: "a.unknown", type: "TEXT/MARKDOWN" }, "markdown"],
    [{ name: "a.unknown", type: "application/x-unknown" }, "text"],
    [{ name: ".csv" }, "text"],
    [{ name: "folder.csv/file" }, "text"],
    [{}, "text"],
    [{ name: "a.csv", reader_id: "json" }, "json"],
    [{ name: "a.csv", reader_id: "Field-Labeled CSV Reader" }, "field_labeled_csv"],
    [{ name: "a.csv", reader_id: "JsonReader" }, "json"],
    [{ name: "a.csv", reader_id: "constructor" }, "csv"]
  ])("%j is read by %s", (source, id) => {
    assert.strictEqual(Catalogue.chooseReader(source).id, id)
  })

  it("the readers of a type are listed in the order of the catalogue", () => {
    assert.deepStrictEqual(Catalogue.readersForType[".csv"], ["csv", "field_labeled_csv"])
    assert.deepStrictEqual(Catalogue.readersForType[".md"], ["markdown"])
  })
})

describe("text", () => {
  const encoded: ReadonlyArray<readonly [string, Uint8Array, string | undefined]> = [
    ["UTF-8", Buffer.from("Größe\n5 €"), undefined],
    ["UTF-8 with a mark", Buffer.from("\ufeffGröße\n5 €"), undefined],
    ["UTF-16 with a mark", Buffer.from("\ufeffGröße\n5 €", "utf16le"), undefined],
    ["UTF-16 without a mark", Buffer.from("Größe\n5 €", "utf16le"), undefined],
    ["big-endian UTF-16", Buffer.from("\ufeffGröße\n5 €", "utf16le").swap16(), undefined],
    ["windows-1252", Buffer.from("Gr\xf6\xdfe\n5 \x80", "latin1"), undefined],
    ["a declared charset", Buffer.from("Gr\xf6\xdfe\n5 \xa4", "latin1"), "text/plain; charset=\"ISO-8859-15\""],
    ["an unknown charset", Buffer.from("Größe\n5 €"), "text/plain; charset=klingon"],
    ["a wrongly declared charset", Buffer.from("Gr\xf6\xdfe\n5 \x80", "latin1"), "text/plain; charset=utf-8"]
  ]

  for (const [title, bytes, type] of encoded) {
    it.effect(`text in ${title} is read`, () =>
      Effect.gen(function*() {
        const [document] = yield* readBytes(bytes, { name: "a.txt", type })
        assert.strictEqual(document?.text, "Größe\n5 €")
      }))
  }

  // the bytes of each text in its charset
  const legacy: ReadonlyArray<readonly [charset: string, hex: string, text: string]> = [
    ["gb18030", "c9ccc6b72cbcdbb8f10ac6bbb9fb2c350a", "商品,价格\n苹果,5\n"],
    [
      "gb18030",
      "d0d5c3fb2cb3c7cad02cb5e7bbb00acdf5ceb02cb1b1bea92c3132330ac0eec4c82cc9cfbaa32c343536",
      "姓名,城市,电话\n王伟,北京,123\n李娜,上海,456"
    ],
    [
      "gb18030",
      "c8cbb9a4d6c7c4dcb4fac0edb7fecef1b5c4d4cbd0d0cab1a1a3cbfcb3d6bec3b5d8d4cbd0d0b4fac0eda1a2cdc5b6d3bacdb9a4d7f7c1f7a3acb2a2b1a3b4e6bbe1bbb0a1a3",
      "人工智能代理服务的运行时。它持久地运行代理、团队和工作流，并保存会话。"
    ],
    ["gb18030", "d6d0b9fa", "中国"],
    ["big5", "b0d3ab7e2cbbf9aee60ac4abaa472c350a", "商品,價格\n蘋果,5\n"],
    ["big5", "a96da6572cabb0a5ab0aa4fdb0b62ca578a55f0a", "姓名,城市\n王偉,台北\n"],
    [
      "big5",
      "a5bba4bda571b4a3a8d1a655bad8aa41b0c8a141bdd0bb50a7daadccc170b5b8a143b068b4dabbddad6ea454add3a475a740a4d1a143",
      "本公司提供各種服務，請與我們聯絡。退款需要三個工作天。"
    ],
    ["shift_jis", "8fa495692c89bf8a690a82e882f182b22c350a", "商品,価格\nりんご,5\n"],
    ["shift_jis", "96bc914f2c8f5a8f8a0a936392862c938c8b9e93738d608be60a", "名前,住所\n田中,東京都港区\n"],
    [
      "shift_jis",
      "95d4956982cd8e4f8f5c93fa88c893e082c982a88ae882a282a282bd82b582dc82b78142834a835e838d834f82f082b2979782ad82be82b382a28142",
      "返品は三十日以内にお願いいたします。カタログをご覧ください。"
    ],
    ["shift_jis", "836583588367", "テスト"],
    ["euc-jp", "bea6c9ca2cb2c1b3ca0aa4eaa4f3a4b42c350a", "商品,価格\nりんご,5\n"],
    [
      "euc-jp",
      "cad6c9caa4cfbbb0bdbdc6fcb0cac6e2a4cba4aab4eaa4a4a4a4a4bfa4b7a4dea4b9a1a3a5aba5bfa5eda5b0a4f2a4b4cdf7a4afa4c0a4b5a4a4a1a3",
      "返品は三十日以内にお願いいたします。カタログをご覧ください。"
    ],
    ["euc-kr", "bbf3c7b02cb0a1b0dd0abbe7b0fa2c350a", "상품,가격\n사과,5\n"],
    [
      "euc-kr",
      "b9ddc7b0c0ba203330c0cf20c0ccb3bbbfa120b0a1b4c9c7d5b4cfb4d92e20b0edb0b4bcbec5cdb7ce20bfacb6f4c7d820c1d6bcbcbfe42e",
      "반품은 30일 이내에 가능합니다. 고객센터로 연락해 주세요."
    ],
    ["euc-kr", "c0ccb8a72cb5b5bdc30ab1e8b9cebcf62cbcadbfef", "이름,도시\n김민수,서울"],
    ["windows-1251", "d2eee2e0f02cd6e5ede00adfe1ebeeeaee2c350a", "Товар,Цена\nЯблоко,5\n"],
    [
      "windows-1251",
      "c2eee7e2f0e0f220e2eee7eceee6e5ed20e220f2e5f7e5ede8e520f2f0e8e4f6e0f2e820e4ede5e92e20d1e2ffe6e8f2e5f1fc20f120ede0ece82e",
      "Возврат возможен в течение тридцати дней. Свяжитесь с нами."
    ],
    ["windows-1251", "e8ecff2ce3eef0eee40ac8e2e0ed2ccceef1eae2e0", "имя,город\nИван,Москва"],
    ["koi8-r", "f4cfd7c1d22ce3c5cec10af1c2cccfcbcf2c350a", "Товар,Цена\nЯблоко,5\n"],
    [
      "koi8-r",
      "f7cfdad7d2c1d420d7cfdacdcfd6c5ce20d720d4c5dec5cec9c520d4d2c9c4c3c1d4c920c4cec5ca2e20f3d7d1d6c9d4c5d3d820d320cec1cdc92e",
      "Возврат возможен в течение тридцати дней. Свяжитесь с нами."
    ],
    ["windows-1252", "6e6f6d2c707269780a636166e92c330a7468e92c340a", "nom,prix\ncafé,3\nthé,4\n"],
    ["windows-1252", "4772f6df650a352080", "Größe\n5 €"],
    [
      "windows-1252",
      "93c47066656c94209620d66c2c20c46872656e66656c642c2053747261df658520dc6265726772f6df65",
      "“Äpfel” – Öl, Ährenfeld, Straße… Übergröße"
    ],
    ["windows-1252", "c5727374612c20c46e67656c686f6c6d2c20c56c2c20c470706c65", "Årsta, Ängelholm, Ål, Äpple"],
    [
      "windows-1252",
      "53e36f204a6fe36f2c20636f7261e7e36f2c2061e7f565732c20f37267e36f2c20e0e9eef5fc",
      "São João, coração, ações, órgão, àéîõü"
    ],
    [
      "windows-1252",
      "c7612c206ff92c206ce02d6261732c206c92e974e920e0204eee6d65733b209c75767265",
      "Ça, où, là-bas, l’été à Nîmes; œuvre"
    ],
    ["windows-1252", "d1616e64fa2c2061f16f732c20bf7175e93f20a1c96c21", "Ñandú, años, ¿qué? ¡Él!"],
    ["windows-1252", "c4d6dc", "ÄÖÜ"],
    [
      "windows-1252",
      "536df87272656272f8642070e52064616e736b2c20c5736520d8646567e57264",
      "Smørrebrød på dansk, Åse Ødegård"
    ],
    ["windows-1252", "3520b04320b1203220b56d2c20a7a7203420756e642035209620bd20a9", "5 °C ± 2 µm, §§ 4 und 5 – ½ ©"],
    ["windows-1252", "44c950d45420c0204c27c954c9", "DÉPÔT À L'ÉTÉ"],
    ["windows-1252", "496e666f726d61e7f565732c2061e7f56573", "Informações, ações"],
    ["windows-1252", "4752d6df452e", "GRÖßE."],
    ["windows-1251", "c4cec3cec2ced020cfced1d2c0c2cac82e20ccced1cac2c0", "ДОГОВОР ПОСТАВКИ. МОСКВА"],
    ["windows-1251", "cff0e8e2b3f22c20f1e2b3f2e52e20d6b3ede020f2eee2e0f0f3", "Привіт, світе. Ціна товару"],
    [
      "windows-1253",
      "cae1ebe7ecddf1e120eafcf3ece52e20d0e5ebdcf4e7f22c20e4e9e5fde8f5edf3e7",
      "Καλημέρα κόσμε. Πελάτης, διεύθυνση"
    ],
    [
      "windows-1255",
      "e9f8e5f9ece9ed20e4e9e020e1e9f8fa20e9f9f8e0ec2e20eee7e9f820e4eee5f6f820e2e1e5e4",
      "ירושלים היא בירת ישראל. מחיר המוצר גבוה"
    ],
    ["windows-1256", "c7e1dec7e5d1c920e5ed20dac7d5e3c920e3d5d1", "القاهرة هي عاصمة مصر"],
    ["windows-874", "c3d2a4d2cad4b9a4e9d2e1bea7c1d2a120c5d9a1a4e9d2", "ราคาสินค้าแพงมาก ลูกค้า"]
  ]

  it.effect.each(legacy)(
    "a text in %s that declares nothing is read: %s",
    ([charset, hex, text]) =>
      Effect.gen(function*() {
        const bytes = Buffer.from(hex, "hex")
        assert.strictEqual((yield* readBytes(bytes, { name: "a.txt" }))[0]?.text, text)
        const declared = { name: "a.txt", type: `text/plain; charset=${charset}` }
        assert.strictEqual((yield* readBytes(bytes, declared))[0]?.text, text)
      })
  )

  it.effect("a text has no NUL, no half characters, and line feeds only", () =>
    Effect.gen(function*() {
      const [document] = yield* readSource({ text: "a\0b\r\nc\rd\ud83d" }, defaultLimits)
      assert.strictEqual(document?.text, "ab\nc\nd\ufffd")
    }))

  it.effect.each(
    [
      ["%PDF-1.7\n...", "The content is a PDF document, not text. Its name or its type should say so"],
      [
        "PK\x03\x04abc",
        "The content is a ZIP archive or an Office document, not text. Its name or its type should say so"
      ],
      ["\x01\x02\x03\x04\x05\x06\x07\x00\x01\x02\x03\x04", "The content is binary data, not text"]
    ] as const
  )("the file %j is not read as text", ([content, message]) =>
    Effect.gen(function*() {
      const error = yield* failure(readText(content, "a.txt"))
      assert.deepInclude(error, { reason: "mismatch", message })
    }))

  it.effect.each(["", " \n\t ", "\0\0"])("the content %j has no text", (content) =>
    Effect.gen(function*() {
      const error = yield* failure(readText(content, "a.txt"))
      assert.deepInclude(error, { reason: "empty", message: "The content has no text" })
    }))

  it.effect("bytes and characters are limited", () =>
    Effect.gen(function*() {
      const input = yield* failure(readBytes(Buffer.from("12345"), {}, { inputBytes: 4 }))
      assert.deepInclude(input, { reason: "too_large", message: "The content has more than 4 bytes" })
      const output = yield* failure(readBytes(Buffer.from("12345"), {}, { outputLength: 4 }))
      assert.deepInclude(output, { reason: "too_large", message: "The content has more than 4 characters of text" })
    }))
})

describe("JSON", () => {
  it.effect("numbers keep their digits: long ones are ids", () =>
    Effect.gen(function*() {
      const [document, second] = yield* readText(
        "[{\"id\": 12345678901234567890, \"n\": [1.50]}, 1234567890123456789]",
        "a.json"
      )
      assert.strictEqual(document?.text, "{\"id\":12345678901234567890,\"n\":[1.5]}")
      assert.strictEqual(second?.text, "1234567890123456789")
    }))

  it.effect("each item of an array is a document", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* readText("[{\"a\": [1, null]}, \"two\", 3]", "a.json"), [
        { text: "{\"a\":[1,null]}", metadata: { page: 1 } },
        { text: "two", metadata: { page: 2 } },
        { text: "3", metadata: { page: 3 } }
      ])
      assert.deepStrictEqual(yield* readText("{\"a\": \"b\"}", "a.json"), [
        { text: "{\"a\":\"b\"}", metadata: { page: 1 } }
      ])
    }))

  it.effect("documents of one source have different ids", () =>
    Effect.gen(function*() {
      const documents = yield* readBytes(Buffer.from("[1, 2]"), { name: "a.json" })
      assert.deepStrictEqual(documents.map(({ id, name }) => [id, name]), [["a.json_1", "a.json"], [
        "a.json_2",
        "a.json"
      ]])
    }))

  it.effect.each(
    [
      ["{\"a\": ", { reason: "broken", message: "The content is not valid JSON" }],
      ["[".repeat(100_000), { reason: "too_large", message: "The JSON is nested deeper than 200 levels" }],
      [`[${"1,".repeat(2_000_000)}1]`, { reason: "too_large", message: "The JSON has more than 2000000 values" }],
      [`[${"1,".repeat(100_000)}1]`, { reason: "too_large", message: "The content has more than 100000 documents" }]
    ] as const
  )("JSON that is broken, too deep or too large is refused", ([content, expected]) =>
    Effect.gen(function*() {
      assert.deepInclude(yield* failure(readText(content, "a.json")), expected)
    }))

  it.effect("brackets in strings do not count as depth", () =>
    Effect.gen(function*() {
      const text = "[\"\\".repeat(1).concat("\"", "[".repeat(500), "\"]")
      assert.strictEqual((yield* readText(text, "a.json"))[0]?.text, `"${"[".repeat(500)}`)
    }))
})

describe("CSV", () => {
  it.effect.each([
    ["name,size\n\"Ann, B.\",3\n\n\"two\nlines\",4\n", "a.csv"],
    ["name;size\n\"Ann, B.\";3\ntwo lines;4\n", "a.csv"],
    ["name\tsize\r\nAnn, B.\t3\r\ntwo lines\t4", "a.tsv"]
  ])("each row is a line with the names of its columns: %j", ([content, name]) =>
    Effect.gen(function*() {
      const [document] = yield* readText(content!, name!)
      assert.strictEqual(document?.text, "name: Ann, B., size: 3\nname: two lines, size: 4")
    }))

  it.effect.each([
    ["1,2\n3,4", "1, 2\n3, 4"],
    ["a,a\n3,4", "a, a\n3, 4"],
    ["Prices of 2026\n\nname,size\nAnn,3", "Prices of 2026\nname: Ann, size: 3"],
    ["only names,and no rows", "only names, and no rows"],
    ["Region,2023,2024\nNorth,1,2", "Region: North, 2023: 1, 2024: 2"],
    ["Item,2024-01,2024-02\nRent,1,2", "Item: Rent, 2024-01: 1, 2024-02: 2"],
    ["Ann,2001,2020\nBob,1999,2021", "Ann, 2001, 2020\nBob, 1999, 2021"],
    ["1,red,big\nnone,green,tiny\n2,black,huge", "1, red, big\nnone, green, tiny\n2, black, huge"],
    [",Sales,Sales\nRegion,net,gross\nNorth,1,2", ", Sales, Sales\nRegion: North, net: 1, gross: 2"],
    [`${"n".repeat(101)},b\n1,2`, `${"n".repeat(101)}, b\n1, 2`]
  ])("the first row that can be names of columns has them: %j", ([content, expected]) =>
    Effect.gen(function*() {
      const [document] = yield* readText(content!, "a.csv")
      assert.strictEqual(document?.text, expected)
    }))

  it.effect("names that would make the text too long are left out", () =>
    Effect.gen(function*() {
      const bytes = Buffer.from(`a long name,another name\n${"1,2\n".repeat(20)}`)
      const [document] = yield* readBytes(bytes, { name: "a.csv" }, { outputLength: 200 })
      assert.include(document?.text, "a long name, another name\n1, 2\n1, 2")
    }))

  it.effect("rows may have more or fewer fields than the first one, and stray quotes", () =>
    Effect.gen(function*() {
      const [document] = yield* readText("a,b\n1\n1,2,3\n5\" pipe,x", "a.csv")
      assert.strictEqual(document?.text, "a: 1\na: 1, b: 2, Column 3: 3\na: 5\" pipe, b: x")
    }))

  it.effect("the field-labelled reader makes a document of each row", () =>
    Effect.gen(function*() {
      const found = yield* readText("name,,size\nAnn,x,\nBob,,4", "a.csv", { reader_id: "field_labeled_csv" })
      assert.deepStrictEqual(found, [
        { text: "name: Ann\nColumn 2: x", metadata: { row: 1 } },
        { text: "name: Bob\nsize: 4", metadata: { row: 2 } }
      ])
    }))

  it.effect("a table with a quote that never ends is refused", () =>
    Effect.gen(function*() {
      const error = yield* failure(readText("a,\"b\n1,2\n", "a.csv"))
      assert.strictEqual(error.reason, "broken")
    }))

  it.effect("the number of fields is limited", () =>
    Effect.gen(function*() {
      const error = yield* failure(readBytes(Buffer.from(",".repeat(20)), { name: "a.csv" }, { nodes: 10 }))
      assert.deepInclude(error, { reason: "too_large", message: "The table has more than 10 fields" })
    }))
})
