// The key under which a request is accepted once, however often it is sent.

/** A new key. Browsers have `crypto.randomUUID` only on pages with TLS, and this on all. */
export const newIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")
