// What makes vectors that can be compared.
import type { Embedder } from "@svc-runtime/agents/Models"
import * as Vector from "@svc-runtime/domain/Vector"

type Model = Pick<Embedder.Embedder, "dimensions" | "id">

const maxLength = 512

/** The name under which its vectors are stored. The same model with another length makes other vectors. */
export const nameOf = ({ dimensions, id }: Model): string =>
  (dimensions === undefined ? id : `${id}@${dimensions}`).slice(0, maxLength)

export const isUsable = ({ dimensions }: Model, vector: Float32Array | undefined): vector is Float32Array =>
  vector !== undefined && Vector.isUsable(vector, dimensions)
