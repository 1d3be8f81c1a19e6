// Files that real programs wrote, and a site: the text that is expected of each.
import { assert, describe, it } from "@effect/vitest"
import { SafeFetch } from "@svc-runtime/fetch"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Layer } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { DocumentReader } from "../src/DocumentReader.ts"
import { defaultLimits } from "../src/ReaderLimits.ts"
import { readSource } from "../src/readers/readSource.ts"
import { WebReader } from "../src/web/WebReader.ts"

Tier.oneIn(6)

const corpus = join(import.meta.dirname, "corpus")

const read = (name: string, reader_id?: string) =>
  readSource({ name, bytes: readFileSync(join(corpus, name)), reader_id }, defaultLimits)

const report = [
  "# Yearly report",
  "The company moved to Köln in May. It has 42 employees, and “three” offices.",
  "## Costs",
  "| Office | Rent |\n| --- | --- |\n| Köln | 1,200 € |\n| Zürich | 2,500 CHF |",
  "All amounts are for one month.",
  "- Travel is paid by train.\n- Flights need an approval.",
  "## Outlook",
  "Next year the team grows to fifty people."
].join("\n\n")

const prices = "Article: Lamp, green, Size: 3, Price: 49.9, Since: 2026-02-03\n" +
  "Article: Table, Price: 129, Since: 2025-12-24\nArticle: Chair \"Oslo\", Size: 12, Price: 79.5, Since: 2026-01-15"

const files: Readonly<Record<string, ReadonlyArray<string>>> = {
  "report.pdf": [
    "Yearly report\nThe company moved to Köln in May. It has 42 employees, and “three” offices.\nCosts\nOffice Rent\n" +
    "Köln 1,200 €\nZürich 2,500 CHF\nAll amounts are for one month.\n• Travel is paid by train.\n" +
    "• Flights need an approval.",
    "Outlook\nNext year the team grows to fifty people."
  ],
  "leaflet.pdf": [
    "Opening hours\nThe library is open from nine to five, but not on\nSundays.",
    "Cards cost 5 EUR a year."
  ],
  "report.docx": [report],
  "travel.docx": [
    "Confidential\n\n# Travel rules\n\nTrains are booked **by the office**.\n\n| City | Hotel |\n| --- | --- |\n| Bern | Alpha |"
  ],
  "slides.pptx": [
    "Welcome to the team\nBring your laptop\nAsk for a key\n\nNotes: Introduce everybody first.",
    "Day\nTopic\nMonday\nTools\nTuesday\nCustomers",
    "Questions? Écrivez-nous"
  ],
  "prices.xlsx": [prices],
  "prices.xls": [prices],
  "prices.csv": [prices],
  "orders.json": [
    "{\"order\":17,\"item\":\"Lamp\",\"paid\":true}",
    "{\"order\":18,\"item\":\"Table\",\"notes\":[\"heavy\",\"two carriers\"]}"
  ],
  "guide.md": [
    "# Guide\n\nStart the machine with the green button.\n\n## Cleaning\n\nUse water only, once a week.\n"
  ],
  "report.html": [report],
  "notes.txt": ["Grüße aus Zürich.\n\nThe key is at the desk – ask Ann.\n"]
}

describe("files of real programs", () => {
  it.effect.each(Object.entries(files))("%s has the expected text", ([name, expected]) =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* read(name)).map(({ text }) => text), expected)
    }))

  it.effect("prices.csv has the expected text with its fields labelled", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* read("prices.csv", "field_labeled_csv")).map(({ text }) => text), [
        "Article: Lamp, green\nSize: 3\nPrice: 49.9\nSince: 2026-02-03",
        "Article: Table\nPrice: 129\nSince: 2025-12-24",
        "Article: Chair \"Oslo\"\nSize: 12\nPrice: 79.5\nSince: 2026-01-15"
      ])
    }))

  it.effect.each(
    [
      [
        "report.doc",
        "Word documents of the format before 2007 (.doc) cannot be read. Save the document as .docx"
      ],
      ["protected.pdf", "The PDF document is protected by a password"],
      [
        "scanned.pdf",
        "The PDF document has no text. Scanned pages are pictures: run text recognition over them first"
      ]
    ] as const
  )("%s says why it cannot be read", ([name, message]) =>
    Effect.gen(function*() {
      assert.strictEqual((yield* Effect.flip(read(name))).message, message)
    }))
})

const types: Readonly<Record<string, string>> = { html: "text/html", md: "text/markdown", txt: "text/plain" }

const site = Effect.map(
  Effect.acquireRelease(
    Effect.promise(() => {
      const server = createServer(({ url = "/" }, response) => {
        const file = join(corpus, "site", url === "/" ? "index.html" : url)
        if (!existsSync(file)) return void response.writeHead(404).end()
        response.setHeader("content-type", types[file.split(".").at(-1) ?? ""] ?? "").end(readFileSync(file))
      })
      return new Promise<typeof server>((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)))
    }),
    (server) => Effect.sync(() => server.close().closeAllConnections())
  ),
  (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
)

describe("a site", () => {
  it.live("a page, a website and an llms.txt have the expected texts", () =>
    Effect.gen(function*() {
      const url = yield* site
      const web = yield* WebReader
      const textsOf = (path: string) =>
        Effect.map(web.read({ url: `${url}${path}` }), ({ documents }) => documents.map(({ text }) => text))
      const tickets = "# Tickets\n\nA ticket costs eight euros. Children enter for free."
      assert.deepStrictEqual(yield* textsOf("/tickets.html"), [tickets])
      assert.deepStrictEqual(yield* textsOf("/"), [
        "# Museum\n\nThe museum shows clocks of five centuries.",
        tickets
      ])
      assert.deepStrictEqual(yield* textsOf("/llms.txt"), [
        "# Museum\n\n- [Tickets](/tickets.html): prices\n- [Clocks](clocks.md)\n",
        tickets,
        "# Clocks\n\nThe oldest clock was built in 1542.\n"
      ])
    }).pipe(
      Effect.provide(
        WebReader.layer().pipe(
          Layer.provide([DocumentReader.layer({ processes: 1 }), SafeFetch.layer({ allow: ["127.0.0.1"] })])
        )
      )
    ))
})
