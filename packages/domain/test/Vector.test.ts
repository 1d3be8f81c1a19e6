import { assert, describe, it } from "@effect/vitest"
import * as Vector from "@svc-runtime/domain/Vector"
import { Option } from "effect"

describe("Vector", () => {
  it("a vector is read from its bytes as it was written, little endian", () => {
    const vector = Float32Array.of(1, -2.5, 0, 1e-30)
    const bytes = Vector.toBytes(vector)
    assert.deepStrictEqual([...bytes.subarray(0, 4)], [0, 0, 0x80, 0x3f])
    const shifted = new Uint8Array(17)
    shifted.set(bytes, 1)
    assert.deepStrictEqual(Option.getOrThrow(Vector.fromBytes(shifted.subarray(1), 4)), vector)
  })

  it("bytes that are no usable vector are none", () => {
    const bytes = Vector.toBytes(Float32Array.of(1, 2))
    for (const unusable of [bytes.subarray(1), bytes.subarray(0, 0), new Uint8Array(8), new Uint8Array(8).fill(255)]) {
      assert.isTrue(Option.isNone(Vector.fromBytes(unusable)))
    }
    assert.isTrue(Option.isNone(Vector.fromBytes(bytes, 3)))
    assert.isTrue(Option.isNone(Vector.fromBytes(new Uint8Array(4 * (Vector.maxDimensions + 1)).fill(1))))
  })

  it("numbers that a float32 cannot have, or too many of them, are no vector", () => {
    assert.isTrue(Option.isSome(Vector.fromNumbers([0.1, 0])))
    for (const numbers of [[], [0, 0], [Number.NaN], [1, Infinity], [1, 1e39], [1e-50]]) {
      assert.isTrue(Option.isNone(Vector.fromNumbers(numbers)), String(numbers))
    }
    assert.isFalse(Vector.isUsable(new Float32Array(Vector.maxDimensions + 1).fill(1)))
    assert.isTrue(Vector.isUsable(new Float32Array(Vector.maxDimensions).fill(1)))
  })

  it("signs are one digit for each number, and their distance counts the different ones", () => {
    const [left, right] = [Float32Array.of(1, -1, 0, -0), Float32Array.of(-1, -1, 1, 1)]
    assert.strictEqual(Vector.signBits(left), "1011")
    assert.strictEqual(Vector.signDistance(left, right), 1)
    assert.strictEqual(Vector.signDistance(left, Float32Array.of(1)), Number.POSITIVE_INFINITY)
  })

  it("the cosine compares directions only", () => {
    const cosine = (left: ReadonlyArray<number>, right: ReadonlyArray<number>) =>
      Vector.cosine(Float32Array.from(left), Float32Array.from(right))
    assert.approximately(cosine([1, 1], [5, 5]), 1, 1e-9)
    assert.approximately(cosine([1, 0], [0, 3]), 0, 1e-9)
    assert.approximately(cosine([1e19, 0], [-1e19, 0]), -1, 1e-9)
    assert.strictEqual(cosine([1], [1, 0]), 0)
    assert.strictEqual(cosine([0], [1]), 0)
  })
})
