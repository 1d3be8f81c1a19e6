import { assert, describe, it } from "@effect/vitest"
import * as InterceptedBody from "../src/InterceptedBody.ts"

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Passes on every chunk but "word", and "tail" before the end. */
const make = () => {
  let isLeft = false
  const splitter: InterceptedBody.Splitter = {
    leave: () => {
      isLeft = true
    },
    next: (chunk) => !isLeft && decoder.decode(chunk) === "word" ? new Uint8Array() : chunk,
    end: () => encoder.encode(isLeft ? "" : "tail")
  }
  const calls: Array<ReadonlyArray<unknown>> = []
  const noted = (name: string) => (...args: Array<unknown>) => {
    calls.push([name, ...args.map((each) => each instanceof Uint8Array ? decoder.decode(each) : each)])
    return name
  }
  const dispatch = (
    names: ReadonlyArray<string>,
    respond: (handler: Record<string, (...args: Array<unknown>) => unknown>) => void
  ) => {
    const target: InterceptedBody.Dispatcher = {
      dispatch: (options, handler) => {
        calls.push(["dispatch", options])
        respond(handler)
        return true
      }
    }
    const handler = Object.fromEntries(names.map((name) => [name, noted(name)]))
    InterceptedBody.dispatcher(() => splitter, () => target).dispatch("options", handler)
  }
  return { calls, dispatch }
}

const older = ["onConnect", "onHeaders", "onData", "onComplete", "onError"]
const newer = ["onRequestStart", "onResponseStart", "onResponseData", "onResponseEnd", "onResponseError"]

describe("InterceptedBody", () => {
  it("a handler of the older version gets what the splitter leaves", () => {
    const { calls, dispatch } = make()
    dispatch(older, ({ onComplete, onData, onHeaders }) => {
      onHeaders?.(200, [encoder.encode("content-type"), encoder.encode("text/plain")], "resume", "OK")
      assert.strictEqual(onData?.(encoder.encode("a")), "onData")
      assert.isTrue(onData?.(encoder.encode("word")))
      onComplete?.([])
    })
    assert.deepStrictEqual(calls, [
      ["dispatch", "options"],
      ["onHeaders", 200, [encoder.encode("content-type"), encoder.encode("text/plain")], "resume", "OK"],
      ["onData", "a"],
      ["onData", "tail"],
      ["onComplete", []]
    ])
  })

  it("a handler of the newer version gets what the splitter leaves", () => {
    const { calls, dispatch } = make()
    dispatch(newer, ({ onResponseData, onResponseEnd, onResponseStart }) => {
      onResponseStart?.("controller", 200, { "content-type": "text/plain" }, "OK")
      onResponseData?.("controller", encoder.encode("a"))
      onResponseData?.("controller", encoder.encode("word"))
      onResponseEnd?.("controller", {})
    })
    assert.deepStrictEqual(calls, [
      ["dispatch", "options"],
      ["onResponseStart", "controller", 200, { "content-type": "text/plain" }, "OK"],
      ["onResponseData", "controller", "a"],
      ["onResponseData", "controller", "tail"],
      ["onResponseEnd", "controller", {}]
    ])
  })

  it("a compressed body is passed on as it is", () => {
    const { calls, dispatch } = make()
    dispatch(older, ({ onComplete, onData, onHeaders }) => {
      onHeaders?.(200, ["Content-Encoding", "gzip"].map((text) => Buffer.from(text)), "resume", "OK")
      onData?.(encoder.encode("word"))
      onComplete?.([])
    })
    dispatch(newer, ({ onResponseData, onResponseEnd, onResponseStart }) => {
      onResponseStart?.("controller", 200, { "content-encoding": "gzip" }, "OK")
      onResponseData?.("controller", encoder.encode("word"))
      onResponseEnd?.("controller", {})
    })
    const data = calls.filter(([name]) => name === "onData" || name === "onResponseData")
    assert.deepStrictEqual(data, [["onData", "word"], ["onResponseData", "controller", "word"]])
  })
})
