// The examples in the API's document are what "Try it out" sends: each is a valid request.
import { assert, describe, it } from "@effect/vitest"
import * as OpenApiDocument from "@svc-runtime/features/document/OpenApiDocument"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { call, seed, serveOpen } from "./Closed.ts"

interface Operation {
  readonly operationId: string
  readonly parameters?: ReadonlyArray<
    { readonly name: string; readonly in: string; readonly example?: string | number }
  >
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> }
}

const paths = OpenApiDocument.make()["paths"] as unknown as Readonly<
  Record<string, Readonly<Record<string, Operation>>>
>

interface Example {
  readonly title: string
  readonly method: string
  readonly path: string
  readonly type: string
  readonly body: unknown
}

const examples: ReadonlyArray<Example> = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { parameters = [], requestBody }]) =>
    Object.entries(requestBody?.content ?? {}).map(([type, { example }]) => ({
      title: `${method.toUpperCase()} ${path} as ${type}`,
      method: method.toUpperCase(),
      path: parameters.filter((each) => each.in === "path").reduce(
        (done, each) => done.replace(`{${each.name}}`, String(each.example)),
        path
      ),
      type,
      body: example
    }))
  )
)

const formData = (fields: Readonly<Record<string, string>>): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return form
}

const encoded = ({ body, type }: Example): Pick<RequestInit, "body" | "headers"> => {
  if (type === "multipart/form-data") return { body: formData(body as Record<string, string>) }
  if (type === "application/x-www-form-urlencoded") return { body: new URLSearchParams(body as Record<string, string>) }
  return {
    body: type === "application/json" ? JSON.stringify(body) : String(body),
    headers: { "content-type": type }
  }
}

/** The second version, which another example has made. */
const publish = (server: TestServer.TestServer) =>
  call(server, {
    path: "/components/support/configs/2",
    init: {
      method: "PATCH",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ stage: "published", set_current: false })
    }
  })

describe("the examples of the API's document", () => {
  it.effect("the service can read every example of a body", () =>
    Effect.scoped(Effect.gen(function*() {
      const server = yield* serveOpen
      yield* seed(server)
      assert.isAbove(examples.length, 60)
      for (const example of examples) {
        const { method, path, title } = example
        // a draft has no share
        if (path.endsWith("/rollout") && method === "POST") yield* publish(server)
        const { status, text } = yield* call(server, { path, init: { method, ...encoded(example) } })
        assert.notInclude([413, 415, 422, 500, 503], status, `${title}: ${text}`)
      }
    })))
})
