// What the log has of a request, after its response.

export interface RequestFields {
  readonly method: string
  /** The pattern of the path, or `unmatched`. The path itself can have ids and secrets. */
  readonly route: string
  /** 499: the client disconnected before the response. */
  readonly status: number
  readonly time_ms: number
  /** Of the body. */
  readonly request_bytes: number
  /** Of the body. With its headers and frames if its size was not declared. */
  readonly response_bytes: number
  readonly user_id: string | undefined
  readonly request_id: string
  readonly trace_id: string | undefined
  readonly transport: "rest" | "mcp" | "socket"
  /** Of a call over MCP. */
  readonly tool: string | undefined
  /** The client disconnected before the end of the response. */
  readonly aborted: true | undefined
}

/** The message of a log line. */
export class RequestLine {
  readonly fields: RequestFields
  constructor(fields: RequestFields) {
    this.fields = fields
  }
  toString(): string {
    const { method, route, status } = this.fields
    return `${method} ${route} ${status}`
  }
  /** As fields of a JSON object. Every request has one, so it is faster than what fits any object. */
  toJsonFields(): string {
    const {
      aborted,
      method,
      request_bytes,
      request_id,
      response_bytes,
      route,
      status,
      time_ms,
      tool,
      trace_id,
      transport,
      user_id
    } = this.fields
    const message = `"message":"${method} ${route} ${status}","method":"${method}","route":"${route}"`
    const sizes = `"request_bytes":${request_bytes},"response_bytes":${response_bytes}`
    const user = user_id === undefined ? "" : `,"user_id":${JSON.stringify(user_id)}`
    const called = tool === undefined ? "" : `,"tool":${JSON.stringify(tool)}`
    const end = aborted === undefined ? "" : ",\"aborted\":true"
    const trace = trace_id === undefined ? "" : `"trace_id":"${trace_id}",`
    return `${message},"status":${status},"time_ms":${time_ms},${sizes}${user},"request_id":"${request_id}",${trace}` +
      `"transport":"${transport}"${called}${end}`
  }
}
