// Asks an embedder for the vectors of texts, in a span.
import * as OperationSpan from "@svc/telemetry/OperationSpan"
import type { Embedder } from "../Models.ts"

export const embedAll = (embedder: Embedder.Embedder, texts: ReadonlyArray<string>) =>
  OperationSpan.embeddings(embedder.embedMany(texts), embedder, texts.length)
