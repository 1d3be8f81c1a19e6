// It imports nothing: `npm start` says it before it loads the service.

/** Why a service cannot listen, and what to do. */
export const portInUse = (address: string | undefined, port: number | undefined): string =>
  `Something else listens on ${address}:${port}. Stop it, or set PORT to a free one.`
