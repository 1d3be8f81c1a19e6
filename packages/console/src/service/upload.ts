// Uploads with progress, which `fetch` does not report.

const headersOf = (request: XMLHttpRequest): Headers => {
  const headers = new Headers()
  for (const line of request.getAllResponseHeaders().trim().split(/[\r\n]+/)) {
    const [name = "", ...value] = line.split(":")
    if (name !== "") headers.append(name, value.join(":").trim())
  }
  return headers
}

/** Statuses of responses that have no body. */
const empty = new Set([204, 205, 304])

/** A `fetch` that calls `progress` with the share of the body that is sent, from 0 to 1. */
export const uploading = (progress: (share: number) => void): typeof fetch => (input, init = {}) =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(init.method ?? "POST", input instanceof Request ? input.url : String(input))
    new Headers(init.headers).forEach((value, name) => request.setRequestHeader(name, value))
    request.responseType = "blob"
    request.upload.addEventListener("progress", ({ loaded, total }) => progress(total === 0 ? 1 : loaded / total))
    request.addEventListener("load", () => {
      const { response, status } = request
      resolve(new Response(empty.has(status) ? null : response as Blob, { status, headers: headersOf(request) }))
    })
    request.addEventListener("error", () => reject(new TypeError("The connection was cut")))
    request.addEventListener("abort", () => reject(init.signal?.reason))
    init.signal?.addEventListener("abort", () => request.abort(), { once: true })
    request.send(init.body as XMLHttpRequestBodyInit)
  })
