// Keeps the service running if the reader of its standard output or standard error closes (a closed terminal, a stopped
// log collector). Later output is lost.

/** These errors cannot be reported anywhere. */
const ignore = () => {}

export const ignoreErrors = (): void => {
  process.stdout.on("error", ignore)
  process.stderr.on("error", ignore)
}
