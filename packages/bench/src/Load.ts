// Load on one server: a number of connections, each with one request at a time, for some seconds. What comes first
// warms up and is not counted.
import { Agent, request } from "node:http"

export interface Answer {
  readonly status: number
  readonly text: string
  /** Milliseconds. */
  readonly total: number
  /** Milliseconds to the first byte of the body. */
  readonly first: number
}

export interface Form {
  readonly type: string
  readonly body: string
}

const boundary = "boundary-of-the-load-generator"

export const formOf = (fields: Readonly<Record<string, string>>): Form => ({
  type: `multipart/form-data; boundary=${boundary}`,
  body: Object.entries(fields)
    .map(([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join("") + `--${boundary}--\r\n`
})

export type Send = (method: string, path: string, form?: Form) => Promise<Answer>

const sender = (base: URL, agent: Agent, token: string | undefined): Send => (method, path, form) =>
  new Promise((resolve, reject) => {
    const started = performance.now()
    const headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(form === undefined ? {} : { "content-type": form.type, "content-length": Buffer.byteLength(form.body) })
    }
    const outgoing = request({ host: base.hostname, port: base.port, method, path, agent, headers }, (incoming) => {
      let first = 0
      const chunks: Array<Buffer> = []
      incoming.on("data", (chunk: Buffer) => {
        if (chunks.length === 0) first = performance.now() - started
        chunks.push(chunk)
      })
      incoming.on("end", () => {
        const text = Buffer.concat(chunks).toString("latin1")
        resolve({ status: incoming.statusCode ?? 0, text, total: performance.now() - started, first })
      })
      incoming.on("error", reject)
    })
    outgoing.on("error", reject)
    outgoing.end(form?.body)
  })

export interface Scenario {
  readonly connections: number
  readonly seconds: number
  readonly prepare?: (send: Send) => Promise<unknown>
  readonly one: (send: Send, index: number) => Promise<Answer>
  readonly isGood?: (answer: Answer) => boolean
  /** Milliseconds that are not counted. A second, when left out. */
  readonly warmUp?: number | undefined
  /** Requests that are not counted either: until then the server still compiles the code of the scenario. */
  readonly warmUpRequests?: number | undefined
  /** Sent with every request. */
  readonly token?: string | undefined
  /** Seconds of processor time that the server has used. */
  readonly cpuSeconds?: (() => number) | undefined
}

export interface Figures {
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly firstByteP50: number
  /** Microseconds of the server's processor time per request; not a number if the scenario does not measure it. */
  readonly cpuMicros: number
  readonly errors: number
  readonly firstError: string | undefined
}

const quantile = (values: Array<number>, q: number): number =>
  values.sort((left, right) => left - right)[Math.min(values.length - 1, Math.floor(values.length * q))] ?? Number.NaN

export const run = async (base: string, scenario: Scenario): Promise<Figures> => {
  const agent = new Agent({ keepAlive: true, maxSockets: scenario.connections })
  const send = sender(new URL(base), agent, scenario.token)
  await scenario.prepare?.(send)
  const { cpuSeconds = () => Number.NaN, warmUp = 1000, warmUpRequests = 0 } = scenario
  const started = performance.now()
  let warm = Number.POSITIVE_INFINITY
  let cpuWarm = Number.NaN
  const hasTime = (): boolean => {
    const now = performance.now()
    if (warm === Number.POSITIVE_INFINITY && now >= started + warmUp && index >= warmUpRequests) {
      warm = now
      cpuWarm = cpuSeconds()
    }
    return now < warm + scenario.seconds * 1000
  }
  const totals: Array<number> = []
  const firsts: Array<number> = []
  let errors = 0
  let firstError: string | undefined
  let index = 0
  const failed = (text: string) => {
    errors++
    firstError ??= text
  }
  const connection = async () => {
    while (hasTime()) {
      try {
        const answer = await scenario.one(send, index++)
        const isGood = answer.status < 300 && (scenario.isGood?.(answer) ?? true)
        if (!isGood) failed(`${answer.status} ${answer.text.slice(0, 160)}`)
        else if (performance.now() > warm) {
          totals.push(answer.total)
          firsts.push(answer.first)
        }
      } catch (error) {
        failed(String(error))
      }
    }
  }
  await Promise.all(Array.from({ length: scenario.connections }, connection))
  const cpu = cpuSeconds() - cpuWarm
  agent.destroy()
  return {
    perSecond: totals.length / scenario.seconds,
    p50: quantile(totals, 0.5),
    p99: quantile(totals, 0.99),
    firstByteP50: quantile(firsts, 0.5),
    cpuMicros: cpu * 1e6 / totals.length,
    errors,
    firstError
  }
}
