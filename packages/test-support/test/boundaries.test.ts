// Which imports are allowed, held against the sources: every import under packages/*/src is compared with `arrows.ts`
// and with the dependencies that its package declares.
import { assert, describe, it } from "@effect/vitest"
import { features, order } from "./arrows.ts"
import {
  circlesOfFiles,
  circlesOfFolders,
  featureImports,
  forbiddenFrom,
  readRepository,
  type Repository,
  violations
} from "./Imports.ts"

describe("boundaries", () => {
  const repository = readRepository()

  it("each package has a place in the order", () => {
    assert.deepStrictEqual(Object.keys(repository.exports).toSorted(), order.toSorted())
  })

  it("every import leads to a lower package that is a declared dependency", () => {
    assert.isAbove(repository.sources.size, 0)
    assert.deepStrictEqual(violations(repository), [])
  })

  it("no files of the packages import each other in a circle, also not for types alone", () => {
    assert.deepStrictEqual(circlesOfFiles(repository), [])
  })

  it("no folders of a package import each other, in the packages where they have an order", () => {
    assert.deepStrictEqual(circlesOfFolders(repository), [])
    assert.deepStrictEqual(circlesOfFolders(repository, 2), [])
  })

  it("a feature imports only the other features that are listed for it", () => {
    assert.deepStrictEqual(
      featureImports(repository, features),
      [],
      "features in arrows.ts lists what a feature imports"
    )
  })

  it("a feature that imports others names only features of earlier lines, and features that import none", () => {
    const names = Object.keys(features)
    for (const [index, name] of names.entries()) {
      assert.deepStrictEqual(features[name]?.filter((other) => names.indexOf(other) >= index), [], name)
    }
  })

  it("the list of imports has no feature that is gone, and no import that is not made", () => {
    assert.deepStrictEqual(
      Object.entries(features).flatMap(([name, others]) =>
        others.filter((other) =>
          featureImports(repository, { ...features, [name]: others.filter((each) => each !== other) }).length === 0
        )
          .map((other) => `${name} imports ${other}`)
      ),
      []
    )
  })

  it.each(["index.ts", "promise/index.ts"])(
    "the client %s reaches no server, no store, no handler, no job and no node module",
    (entry) => {
      assert.deepStrictEqual(forbiddenFrom(`packages/client/src/${entry}`, repository), [])
    }
  )
})

describe("the check itself", () => {
  const fixture: Repository = {
    dependencies: {
      domain: ["effect", "zod"],
      api: ["@svc-runtime/domain", "effect"],
      client: ["@svc-runtime/features"],
      engine: ["@svc-runtime/agents", "effect"]
    },
    exports: {
      api: { ".": "./src/index.ts" },
      domain: { "./*": "./src/*.ts" },
      features: { "./*": "./src/*.ts" }
    },
    sources: new Map([
      [
        "packages/domain/src/Id.ts",
        "import { z } from \"zod\"\n// import { no } from \"@svc-runtime/server\"\nconst from = \"x\"\n"
      ],
      [
        "packages/api/src/index.ts",
        "import type {\n  A\n} from \"@svc-runtime/domain/Id\"\nexport * from \"./Deep.ts\"\n"
      ],
      ["packages/api/src/Deep.ts", "import { readFile } from \"node:fs\"\nconst late = () => import(\"jose\")\n"],
      [
        "packages/client/src/index.ts",
        "import { Api } from \"@svc-runtime/features/Api\"\nimport \"@svc-runtime/domain/Id\"\n"
      ],
      [
        "packages/features/src/Api.ts",
        "import \"@svc-runtime/api\"\nimport { Notes } from \"./notes/NotesApi.ts\"\n"
      ],
      ["packages/features/src/notes/NotesApi.ts", "import type { NoteStore } from \"./NoteStore.ts\"\n"],
      [
        "packages/features/src/notes/NoteStore.ts",
        "import \"../memory/UserMemory.ts\"\nimport \"../document/All.ts\"\n"
      ],
      ["packages/features/src/memory/UserMemory.ts", "/**\n * import { serve } from \"@svc-runtime/server\"\n */\n"],
      ["packages/features/src/document/All.ts", "import type { NotesApi } from \"../notes/NotesApi.ts\"\n"],
      ["packages/domain/src/index.ts", "import { Effect } from \"effect\"\nimport { Http } from \"effect/http\"\n"],
      ["packages/engine/src/index.ts", "export type { Agent } from \"@svc-runtime/agents/agent/Agent\"\n"]
    ])
  }

  it("the check finds a higher package, an undeclared dependency, node, and an extra import of domain", () => {
    assert.deepStrictEqual(violations(fixture).filter((found) => !found.startsWith("packages/features/")), [
      "packages/domain/src/Id.ts imports zod: may import effect and nothing else",
      "packages/api/src/Deep.ts imports node:fs: has no business with node",
      "packages/api/src/Deep.ts imports jose: not in the dependencies of its package.json",
      "packages/client/src/index.ts imports @svc-runtime/domain/Id: not in the dependencies of its package.json",
      "packages/engine/src/index.ts imports @svc-runtime/agents/agent/Agent: is not a lower package"
    ])
  })

  it("the check finds files that import each other, also through types and through a third file", () => {
    assert.deepStrictEqual(circlesOfFiles(fixture), [[
      "packages/features/src/document/All.ts",
      "packages/features/src/notes/NoteStore.ts",
      "packages/features/src/notes/NotesApi.ts"
    ]])
  })

  it("the check finds a feature that imports another one, unless it is listed", () => {
    assert.deepStrictEqual(featureImports(fixture, { notes: [] }), [
      "packages/features/src/notes/NoteStore.ts imports packages/features/src/memory/UserMemory.ts"
    ])
    assert.deepStrictEqual(featureImports(fixture, { notes: ["memory"] }), [])
  })

  it("the check finds folders that reach each other through a third one", () => {
    const none = { dependencies: {}, exports: {} }
    const round: Repository = {
      ...none,
      sources: new Map([
        ["packages/cli/src/a/A.ts", "import { B } from \"../b/B.ts\"\n"],
        ["packages/cli/src/b/B.ts", "import { C } from \"../c/C.ts\"\nimport { D } from \"../d/D.ts\"\n"],
        ["packages/cli/src/c/C.ts", "import { A } from \"../a/A.ts\"\n"]
      ])
    }
    assert.deepStrictEqual(circlesOfFolders(round), [["cli/a", "cli/b", "cli/c"]])
    const inner: Repository = {
      ...none,
      sources: new Map([
        ["packages/cli/src/a/x/X.ts", "import { Y } from \"../y/Y.ts\"\n"],
        ["packages/cli/src/a/y/Y.ts", "import { X } from \"../x/X.ts\"\nimport { B } from \"../B.ts\"\n"],
        ["packages/cli/src/a/B.ts", "import { X } from \"./x/X.ts\"\n"]
      ])
    }
    assert.deepStrictEqual(circlesOfFolders(inner), [])
    assert.deepStrictEqual(circlesOfFolders(inner, 2), [["cli/a/x", "cli/a/y"]])
  })

  it("the check finds what a client imports through others, and says how", () => {
    const api = "packages/client/src/index.ts → packages/features/src/Api.ts"
    assert.deepStrictEqual(forbiddenFrom("packages/client/src/index.ts", fixture), [
      `${api} → packages/features/src/notes/NotesApi.ts → ./NoteStore.ts`,
      `${api} → packages/api/src/index.ts → packages/api/src/Deep.ts → node:fs`,
      `${api} → packages/api/src/index.ts → packages/api/src/Deep.ts → jose`
    ])
  })
})
