// Knowledge as an author defines it.
import { assert, describe, it } from "@effect/vitest"
import * as Knowledge from "../KnowledgeBase.ts"

describe("Knowledge.make", () => {
  it("knowledge without options has the defaults", () => {
    const { chunkOverlap, chunkSize, isolation, maxResults, name, searchType } = Knowledge.make()
    assert.deepStrictEqual({ chunkOverlap, chunkSize, isolation, maxResults, name, searchType }, {
      chunkOverlap: 0,
      chunkSize: 5000,
      isolation: "user",
      maxResults: 10,
      name: undefined,
      searchType: "hybrid"
    })
  })

  it("an invalid option is refused with the name of the knowledge and of the option", () => {
    const refusals: ReadonlyArray<readonly [Parameters<typeof Knowledge.make>[0], RegExp]> = [
      [{ name: "" }, /Knowledge '': name must be one line/],
      [{ name: "a\nb" }, /name must be one line/],
      [{ name: "a", chunkSize: 0 }, /Knowledge 'a': chunkSize must be a whole number of at least 1/],
      [{ chunkSize: 1_000_000 }, /Knowledge: chunkSize must be at most 100000/],
      [{ chunkSize: 10, chunkOverlap: 10 }, /chunkOverlap must be smaller than chunkSize/],
      [{ maxResults: 1001 }, /maxResults must be at most 1000/],
      [{ searchType: "near" as never }, /searchType must be one of vector, keyword, hybrid/],
      [{ isolation: "none" as never }, /isolation must be one of user, shared/],
      [{ db: {} as never }, /db must be a database handle/],
      [{ embedder: {} as never }, /embedder must be an embedding model/]
    ]
    for (const [options, message] of refusals) assert.throws(() => Knowledge.make(options), message)
  })
})
