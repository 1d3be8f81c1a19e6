import { assert, describe, it } from "@effect/vitest"
import * as LogFormat from "@svc-runtime/http/logging/LogFormat"
import { Effect, Logger } from "effect"
import { inspect } from "node:util"
import * as ForgottenErrors from "../src/ForgottenErrors.ts"

const fails = () => {
  throw new Error("Not to be shown")
}

const proxied = () => new Proxy<Array<unknown>>([], { get: fails })

const thrown: Readonly<Record<string, unknown>> = {
  "an error": new Error("Gone"),
  "an object that fails when it is shown": { [inspect.custom]: fails },
  "a list of errors that cannot be read": Object.assign(new AggregateError([], "Gone"), { errors: proxied() })
}

describe("an error in the code of a component that nothing awaits", () => {
  it.effect.each(Object.keys(thrown))("the log has one line about %s", (name) =>
    Effect.gen(function*() {
      for (const format of [LogFormat.json(undefined), LogFormat.readable]) {
        const lines: Array<string> = []
        const logger = Logger.map(format, (line) => void lines.push(String(line)))
        yield* Effect.provide(ForgottenErrors.log(thrown[name]), Logger.layer([logger]))
        assert.lengthOf(lines, 1)
        assert.include(lines[0], "nothing awaits it")
      }
    }))
})
