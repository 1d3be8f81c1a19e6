// The safe fetch of tools, with the operator's rules for addresses.
import { SafeFetch } from "@svc-runtime/fetch"
import { Context, Layer } from "effect"

export class ToolFetch
  extends Context.Service<ToolFetch, SafeFetch["Service"]>()("@svc-runtime/server/toolkit/ToolFetch")
{}

export const layer = Layer.effect(ToolFetch, SafeFetch)
