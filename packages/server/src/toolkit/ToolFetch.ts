// The safe fetch of tools, with the operator's rules for addresses.
import { SafeFetch } from "@svc-runtime/fetch"
import { Context, Layer } from "effect"

/** Undefined where runs have no service around them. */
export const ToolFetch = Context.Reference<SafeFetch["Service"] | undefined>("@svc-runtime/server/toolkit/ToolFetch", {
  defaultValue: () => undefined
})

export const layer = Layer.effect(ToolFetch, SafeFetch)
