import { assert, describe, it, layer } from "@effect/vitest"
import { SafeFetch } from "@svc-runtime/fetch"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Layer } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { DocumentReader } from "../src/DocumentReader.ts"
import { chooseUrlReader } from "../src/ReaderCatalogue.ts"
import { type Options, WebReader } from "../src/web/WebReader.ts"
import { pdf } from "./fixtures/pdf.ts"

Tier.oneIn(12)

type Answer = string | Uint8Array | { readonly status: number; readonly location?: string }

const typeOf = (path: string, answer: string | Uint8Array) =>
  typeof answer !== "string" ? "application/pdf" : path.endsWith(".txt") ? "text/plain" : "text/html"

/** A site on this machine, and the paths that were asked for. */
const site = (pages: Readonly<Record<string, Answer>>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => {
        const paths: Array<string> = []
        const server = createServer((request, response) => {
          const path = request.url ?? ""
          paths.push(path)
          const answer = pages[path] ?? { status: 404 }
          if (typeof answer === "string" || answer instanceof Uint8Array) {
            response.setHeader("content-type", typeOf(path, answer)).end(answer)
          } else {response.writeHead(answer.status, answer.location === undefined ? {} : { location: answer.location })
              .end()}
        })
        return new Promise<{ readonly server: typeof server; readonly paths: Array<string> }>((resolve) =>
          server.listen(0, "127.0.0.1", () => resolve({ server, paths }))
        )
      }),
      ({ server }) =>
        Effect.sync(() => {
          server.close()
          server.closeAllConnections()
        })
    ),
    ({ paths, server }) => ({ paths, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  )

const services = Layer.mergeAll(DocumentReader.layer(), SafeFetch.layer({ allow: ["127.0.0.1"] }))

const read = (url: string, reader_id?: string, options: Options = {}) =>
  WebReader.use((web) => web.read({ url, reader_id })).pipe(
    Effect.map(({ documents }) => documents),
    Effect.provide(WebReader.layer(options))
  )

const page = (title: string, ...links: ReadonlyArray<string>) =>
  `<html><head><title>${title}</title></head><body><p>Text of ${title}</p>${
    links.map((link) => `<a href="${link}">link</a>`).join("")
  }</body></html>`

describe("the choice of a reader for a URL", () => {
  it.each([
    ["https://example.org", undefined, "website"],
    ["https://example.org/docs/v1.2", undefined, "website"],
    ["https://example.org/a.pdf?x=1", undefined, "pdf"],
    ["https://example.org/a.php", undefined, "html"],
    ["https://example.org/docs/llms.txt", undefined, "llms_txt"],
    ["https://example.org/llms-full.txt", undefined, "text"],
    ["https://example.org/a.pdf", "website", "website"],
    ["https://example.org/", "LLMs_txt Reader", "llms_txt"],
    ["https://example.org/", "nothing", "website"]
  ])("%s with the reader %s is read by %s", (url, reader_id, expected) => {
    assert.strictEqual(chooseUrlReader({ url, reader_id }).id, expected)
  })
})

layer(services, { excludeTestServices: true })("WebReader", (it) => {
  it.effect("a file is read by its extension, with its URL", () =>
    Effect.gen(function*() {
      const { paths, url } = yield* site({ "/a.pdf": pdf([["First"], ["Second"]]) })
      const documents = yield* read(`${url}/a.pdf`)
      assert.deepStrictEqual(documents, [
        { id: `${url}/a.pdf`, name: `${url}/a.pdf`, text: "First", metadata: { page: 1, url: `${url}/a.pdf` } },
        { id: `${url}/a.pdf_2`, name: `${url}/a.pdf`, text: "Second", metadata: { page: 2, url: `${url}/a.pdf` } }
      ])
      assert.deepStrictEqual(paths, ["/a.pdf"])
    }))

  it.effect("a website is read with the pages of its origin that it links to, each once", () =>
    Effect.gen(function*() {
      const { paths, url } = yield* site({
        "/": page("Home", "/one", "two#part", "two", "/logo.png", "https://elsewhere.invalid/", "mailto:a@b.c", "/"),
        "/one": page("One", "/", "/deep"),
        "/two": page("Two"),
        "/deep": page("Deep")
      })
      const documents = yield* read(`${url}/`)
      assert.deepStrictEqual(documents.map(({ id, name }) => [id, name]), [
        [`${url}/`, "Home"],
        [`${url}/one`, "One"],
        [`${url}/two`, "Two"],
        [`${url}/deep`, "Deep"]
      ])
      assert.deepStrictEqual(documents[0]?.metadata, { title: "Home", url: `${url}/` })
      assert.include(documents[0]?.text, "Text of Home")
      assert.deepStrictEqual(paths, ["/", "/robots.txt", "/one", "/two", "/deep"])
    }))

  it.effect("the pages, the depth and the bytes of a website are limited", () =>
    Effect.gen(function*() {
      const links = Array.from({ length: 20 }, (_, index) => `/${index}`)
      const wide = yield* site({
        "/": page("Home", ...links),
        ...Object.fromEntries(links.map((link) => [link, page(link)]))
      })
      assert.strictEqual((yield* read(wide.url)).length, 10)
      const size = page("/0").length
      const few = yield* read(wide.url, undefined, { totalBytes: page("Home", ...links).length + 3 * size })
      assert.strictEqual(few.length, 4)
      const deep = yield* site(Object.fromEntries(links.map((link, index) => [link, page(link, `/${index + 1}`)])))
      assert.strictEqual((yield* read(`${deep.url}/0`)).length, 4)
    }))

  it.effect("what is larger than the room is fetched anew when all may be held, and nothing else is", () =>
    Effect.gen(function*() {
      const long = page("Long").replace("Text", "a".repeat(4000))
      const { paths, url } = yield* site({
        "/": page("Home", "/one", "/long", "/two"),
        "/one": page("One"),
        "/long": long,
        "/two": page("Two")
      })
      const before: Array<ReadonlyArray<string>> = []
      const whole = Effect.sync(() => void before.push([...paths]))
      const readIn = (aheadBytes: number) =>
        WebReader.use((web) => web.read({ url }, { whole, reading: (effect) => effect })).pipe(
          Effect.provide(WebReader.layer({ aheadBytes }))
        )
      const { documents } = yield* readIn(2000)
      assert.deepStrictEqual(before, [["/", "/robots.txt", "/one", "/long"]])
      assert.deepStrictEqual(paths.slice(3), ["/long", "/long", "/two"])
      assert.deepStrictEqual(documents, (yield* readIn(10_000)).documents)
      assert.strictEqual(before.length, 1)
    }))

  it.effect("a file whose text is larger than the room is read anew when all may be held", () =>
    Effect.gen(function*() {
      const table = `a,b\n${"1,2\n".repeat(200)}`
      const { url } = yield* site({ "/a.csv": table })
      let count = 0
      const whole = Effect.sync(() => void count++)
      const source = { url: `${url}/a.csv`, reader_id: "field_labeled_csv" }
      const layer = WebReader.layer({ aheadBytes: 5000 })
      const { documents } = yield* Effect.provide(
        WebReader.use((web) => web.read(source, { whole, reading: (effect) => effect })),
        layer
      )
      assert.strictEqual(documents.length, 200)
      assert.strictEqual(count, 1)
    }))

  it.effect("each page is read in a turn, and none is fetched in it", () =>
    Effect.gen(function*() {
      const { paths, url } = yield* site({ "/": page("Home", "/one"), "/one": page("One") })
      const fetched: Array<number> = []
      const reading = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        Effect.suspend(() => {
          fetched.push(paths.length)
          return Effect.ensuring(effect, Effect.sync(() => fetched.push(paths.length)))
        })
      const turns = { whole: Effect.void, reading }
      yield* WebReader.use((web) => web.read({ url }, turns)).pipe(Effect.provide(WebReader.layer()))
      assert.deepStrictEqual(fetched, [1, 1, 3, 3])
    }))

  it.effect("links that robots.txt disallows are not followed", () =>
    Effect.gen(function*() {
      const pages = { "/": page("Home", "/open", "/closed"), "/open": page("Open"), "/closed": page("Closed") }
      const ruled = yield* site({ ...pages, "/robots.txt": "User-agent: *\nDisallow: /closed\n" })
      assert.deepStrictEqual((yield* read(ruled.url)).map(({ name }) => name), ["Home", "Open"])
      const silent = yield* site({ ...pages, "/robots.txt": { status: 500 } })
      assert.deepStrictEqual((yield* read(silent.url)).map(({ name }) => name), ["Home"])
    }))

  it.effect("a website whose links are all disallowed is left after 500 of them", () =>
    Effect.gen(function*() {
      const closed = Array.from({ length: 500 }, (_, index) => `/closed/${index}`)
      const pages = { "/open": page("Open"), "/robots.txt": "User-agent: *\nDisallow: /closed\n" }
      const few = yield* site({ ...pages, "/": page("Home", ...closed.slice(1), "/open") })
      assert.deepStrictEqual((yield* read(few.url)).map(({ name }) => name), ["Home", "Open"])
      const many = yield* site({ ...pages, "/": page("Home", ...closed, "/open") })
      assert.deepStrictEqual((yield* read(many.url)).map(({ name }) => name), ["Home"])
    }))

  it.effect("a base of more than 2048 characters is ignored", () =>
    Effect.gen(function*() {
      const { url } = yield* site({
        "/": page("Home", "one").replace("<title>", `<base href="/${"a".repeat(2048)}/"><title>`),
        "/one": page("One")
      })
      assert.deepStrictEqual((yield* read(url)).map(({ name }) => name), ["Home", "One"])
    }))

  it.effect("a page that cannot be read is left out, unless it is the first one", () =>
    Effect.gen(function*() {
      const { url } = yield* site({
        "/": page("Home", "/gone", "/private", "/two"),
        "/private": { status: 302, location: "http://127.0.0.2/" },
        "/two": page("Two"),
        "/broken.pdf": "no pdf",
        "/later": { status: 503 }
      })
      assert.deepStrictEqual((yield* read(url)).map(({ name }) => name), ["Home", "Two"])
      const reasons = ["gone", "later", "private", "broken.pdf"].map((path) => Effect.flip(read(`${url}/${path}`)))
      assert.deepStrictEqual(
        (yield* Effect.all(reasons, { concurrency: 2 })).map(({ reason }) => reason),
        ["refused", "unreachable", "refused", "mismatch"]
      )
      const error = yield* Effect.flip(read(`${url}/gone`))
      assert.strictEqual(error.message, `Error reading URL: ${url}/gone responds with the status 404`)
    }))

  it.effect("a URL that is no URL, or leads to a private network, is refused", () =>
    Effect.gen(function*() {
      const invalid = yield* Effect.flip(read("not a url"))
      assert.strictEqual(invalid.message, "Invalid URL format: not a url")
      const inside = yield* Effect.flip(read("http://169.254.169.254/latest/meta-data/"))
      assert.include(inside.message, "169.254.169.254 is not an address of the public internet")
    }))

  it.effect("an llms.txt is read with the pages that it lists", () =>
    Effect.gen(function*() {
      const { paths, url } = yield* site({
        "/llms.txt":
          "# Site\n\n> About\n\n## Docs\n\n- [One](/one.txt): first\n- [Two](two.txt#part)\n- [One again](/one.txt)\n" +
          "- [Gone](/gone.txt)\n- [Mail](mailto:a@b.c)\n",
        "/one.txt": "First [page](/not-listed.txt)",
        "/two.txt": "Second page"
      })
      const documents = yield* read(`${url}/llms.txt`)
      assert.deepStrictEqual(documents.map(({ metadata }) => metadata["url"]), [
        `${url}/llms.txt`,
        `${url}/one.txt`,
        `${url}/two.txt`
      ])
      assert.deepStrictEqual(paths, ["/llms.txt", "/one.txt", "/two.txt", "/gone.txt"])
    }))
})
