// A reader of standard output or standard error that goes away (a closed terminal, a log collector that stopped) does
// not end the service: what is written afterwards is lost.

/** There is no place left to report these errors. */
const ignore = () => {}

export const tolerate = (): void => {
  process.stdout.on("error", ignore)
  process.stderr.on("error", ignore)
}
