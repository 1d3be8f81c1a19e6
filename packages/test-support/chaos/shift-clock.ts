// A process whose wall clock is wrong, and jumps: by CLOCK_SHIFT seconds, and a second time when SIGUSR2 says so.
const real = Date.now
let shift = Number(process.env["CLOCK_SHIFT"] ?? 0) * 1000
Date.now = () => real() + shift
process.on("SIGUSR2", () => {
  shift = -shift
})
