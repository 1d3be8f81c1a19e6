// Loaded into a service that a test starts: the pipe ends with the process of the test, the service with the pipe.
import { Socket } from "node:net"

new Socket({ fd: 3 }).on("error", () => {}).once("close", () => process.kill(process.pid, "SIGKILL")).resume().unref()
