// The safe fetch of tools, with the operator's rules for addresses.
import { SafeFetch, type SafeFetchOptions } from "@svc/fetch"
import { Context, Layer } from "effect"

/** Undefined where runs have no service around them. */
export const ToolFetch = Context.Reference<SafeFetch["Service"] | undefined>("@svc/server/toolkit/ToolFetch", {
  defaultValue: () => undefined
})

/** The tool has a time limit of its own. */
export const layerWith = (options?: SafeFetchOptions) =>
  Layer.effect(ToolFetch, SafeFetch).pipe(Layer.provide(SafeFetch.layer({ ...options, timeout: "1 day" })))
