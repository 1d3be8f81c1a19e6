import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { CompletionRequest } from "../../src/openai/CompletionRequest.ts"
import * as RequestFields from "../../src/openai/RequestFields.ts"
import { ResponseRequest } from "../../src/openai/ResponseRequest.ts"

const page = readFileSync(join(import.meta.dirname, "..", "..", "..", "..", "docs", "guides", "openai.md"), "utf8")

/** The fields of a row of the table, for each route. */
const rowOf = (title: string) =>
  page.split("\n").filter((line) => line.startsWith(`| ${title} `)).flatMap((line) => line.split("|").slice(2, 4))
    .map((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name))

const readBy = (schema: { readonly fields: object }, { refused }: RequestFields.Fields) =>
  Object.keys(schema.fields).filter((name) => !Object.hasOwn(refused, name)).toSorted()

describe("the fields of requests of OpenAI clients", () => {
  it("docs/guides/openai.md lists the fields that are read, ignored and refused", () => {
    const { completion, response } = RequestFields
    expect(rowOf("read")).toEqual([readBy(CompletionRequest, completion), readBy(ResponseRequest, response)])
    expect(rowOf("ignored")).toEqual([completion, response].map(({ ignored }) => ignored.toSorted()))
    expect(rowOf("refused")).toEqual([completion, response].map(({ refused }) => Object.keys(refused).toSorted()))
  })

  it("a field that is refused is found, unless its value asks for nothing", () => {
    expect(RequestFields.refusedIn(RequestFields.completion, { n: 2 })).toBe("n")
    expect(RequestFields.refusedIn(RequestFields.completion, { n: 1, logprobs: null, other: 1 })).toBeUndefined()
  })
})
