// Mistakes of authors: what makes them, and how they are refused.
import { assert, it } from "@effect/vitest"
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import * as Server from "@svc-runtime/server"

type Make = (...options: ReadonlyArray<unknown>) => unknown

/** As in JavaScript, where no compiler checks the options. */
export const untyped = Server as unknown as Record<
  keyof typeof Server,
  & Make
  & Record<"a2a" | "configure" | "make" | keyof typeof Server.Guardrail, Make>
  & Record<keyof typeof Server.DatabaseHandle | keyof typeof Server.Toolkit, Make>
>

/** What it is about, the mistake, and the sentence. */
export type Mistaken = readonly [string, () => unknown, string]

export const areRefused = (mistakes: ReadonlyArray<Mistaken>) =>
  it.each(mistakes)("a mistake is refused with one sentence: %s", (_, make, message) => {
    try {
      make()
    } catch (error) {
      assert.instanceOf(error, Mistake)
      assert.strictEqual((error as Mistake).message, message)
      return
    }
    assert.fail("nothing was refused")
  })
