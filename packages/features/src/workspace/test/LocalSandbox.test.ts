// Commands in the local sandbox: what they reach, what they leave behind, and what they can use up. It needs
// bubblewrap, which a machine may lack: then only the refusal is tested.
import { assert, describe, it } from "@effect/vitest"
import { spawnSync, type StdioOptions } from "node:child_process"
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Sandbox from "../Sandbox.ts"

const hasBubblewrap = process.platform === "linux" && spawnSync("bwrap", ["--version"]).status === 0

const sandbox = Sandbox.local({ memoryBytes: 128 * 1024 ** 2, temporaryBytes: 4 * 1024 ** 2, processes: 32 })

const quota = { bytes: 4_000_000, files: 100 }

const runIn = (place: Sandbox.Place, command: string, options: Partial<Sandbox.Command> = {}) =>
  place.run({
    command,
    timeoutMillis: 10_000,
    quota,
    outputBytes: 20_000,
    skills: [],
    onOutput: () => {},
    signal: new AbortController().signal,
    ...options
  })

const withPlace = async <A>(use: (place: Sandbox.Place) => Promise<A>): Promise<A> => {
  const place = await sandbox.open("session")
  try {
    return await use(place)
  } finally {
    await place.close()
  }
}

const run = (command: string, options?: Partial<Sandbox.Command>) =>
  withPlace((place) => runIn(place, command, options))

/** Zombies of bubblewrap, which an init process that reaps nothing would keep. */
const zombies = (): number =>
  readdirSync("/proc").filter((name) => {
    try {
      return /^\d+ \(bwrap\) Z/.test(readFileSync(`/proc/${name}/stat`, "utf8"))
    } catch {
      return false
    }
  }).length

/** The ids of all processes whose command line has this text. */
const processesWith = (text: string): ReadonlyArray<string> =>
  readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, "utf8").includes(text)
    } catch {
      return false
    }
  })

describe.skipIf(!hasBubblewrap)("what a command reaches", () => {
  it("a command reads and writes the files of its session, and its code and output are known", async () => {
    await withPlace(async (place) => {
      await place.write({ path: "in/a.txt", content: new TextEncoder().encode("5\n7\n"), executable: false })
      const pieces: Array<string> = []
      const ended = await runIn(place, "mkdir out; sort -r in/a.txt | tee out/b.txt; echo no >&2; exit 3", {
        onOutput: (text) => pieces.push(text)
      })
      assert.deepInclude(ended, { exitCode: 3, stopped: undefined })
      assert.include(ended.output, "7\n5\n")
      assert.include(ended.output, "no")
      assert.strictEqual(pieces.join("").length, ended.output.length)
      const { files } = await place.list(quota)
      assert.deepStrictEqual(files.map(({ path }) => path).toSorted(), ["in/a.txt", "out/b.txt"])
      assert.strictEqual(new TextDecoder().decode(await place.read("out/b.txt")), "7\n5\n")
    })
  })

  it("nothing of the service is seen: its files, its variables, its processes", async () => {
    const secret = join(mkdtempSync(join(tmpdir(), "secret-")), "key")
    writeFileSync(secret, "wombat", { mode: 0o644 })
    process.env["A_SECRET"] = "wombat"
    const { output } = await run(
      `cat ${secret} ${process.cwd()}/package.json /proc/${process.pid}/environ /etc/shadow /etc/hostname; ` +
        "cat /proc/*/environ | tr '\\0' '\\n'; env; ls /home /root /var /run /sys /tmp /opt; ps ax; " +
        "ls /proc | grep -c '^[0-9]'"
    )
    delete process.env["A_SECRET"]
    assert.notInclude(output, "wombat")
    assert.notInclude(output, "svc-runtime")
    assert.notInclude(output, "vitest")
    assert.notInclude(output, "A_SECRET")
    assert.include(output, "No such file or directory")
    assert.isBelow(Number(output.trim().split("\n").at(-1)), 9)
  })

  it("a descriptor that the service was started with is not open in a command, and its folder is removed", () => {
    const folder = mkdtempSync(join(tmpdir(), "descriptor-"))
    chmodSync(folder, 0o711)
    writeFileSync(join(folder, "secret"), "wombat", { mode: 0o600 })
    const descriptor = openSync(join(folder, "secret"), "r")
    const stdio: StdioOptions = Array.from({ length: 201 }, () => "ignore")
    stdio[1] = "pipe"
    stdio[200] = descriptor
    const program = join(import.meta.dirname, "inheritedDescriptor.ts")
    const command = "cat <&200; cat /proc/self/fd/200; cat /proc/1/fd/200; echo over"
    const { stdout } = spawnSync(process.execPath, [program, command], {
      stdio,
      encoding: "utf8",
      env: { ...process.env, TMPDIR: folder }
    })
    closeSync(descriptor)
    assert.strictEqual(stdout.trim(), "over")
    assert.deepStrictEqual(readdirSync(folder), ["secret"])
  })

  const hasNamespaces = spawnSync("unshare", ["-U", "-r", "true"]).status === 0

  it.skipIf(!hasNamespaces)("commands are executed by the root of a namespace that has no other account", () => {
    const program = join(import.meta.dirname, "inheritedDescriptor.ts")
    const { stdout } = spawnSync("unshare", ["-U", "-r", process.execPath, program, "echo over"], { encoding: "utf8" })
    assert.strictEqual(stdout, "over\n")
  })

  it("what an earlier process with the same id left is removed, and a folder that was removed is made again", async () => {
    const directory = mkdtempSync(join(tmpdir(), "places-"))
    chmodSync(directory, 0o711)
    const own = Sandbox.local({ directory })
    await (await own.open("session")).close()
    const [name = ""] = readdirSync(directory)
    rmSync(join(directory, name), { recursive: true })
    const left = join(directory, name.replace(/.{6}$/, "abcdef"))
    mkdirSync(left)
    const place = await own.open("session")
    assert.strictEqual((await runIn(place, "echo over")).output, "over\n")
    await place.close()
    assert.isFalse(existsSync(left))
    assert.lengthOf(readdirSync(directory), 1)
  })

  it("a link leads nowhere, and is gone after the command", async () => {
    await withPlace(async (place) => {
      await runIn(place, "ln -s /etc/passwd a; ln -s / b; ln -s .. c; mkfifo d; mkdir e; ln -s /etc e/f; echo 1 > g")
      const { dropped, files } = await place.list(quota)
      assert.deepStrictEqual(files.map(({ path }) => path), ["g"])
      assert.deepStrictEqual(dropped.toSorted(), [
        "a (a link)",
        "b (a link)",
        "c (a link)",
        "d (no file)",
        "e/f (a link)"
      ])
      assert.deepStrictEqual((await place.list(quota)).dropped, [])
    })
  })

  it("a file is written in the place of a link, and never through it", async () => {
    const outside = mkdtempSync(join(tmpdir(), "outside-"))
    await withPlace(async (place) => {
      await runIn(place, `ln -s ${outside} folder; ln -s ${outside}/file file`)
      const content = new TextEncoder().encode("x")
      await place.write({ path: "folder/a", content, executable: false })
      await place.write({ path: "file", content, executable: false })
      assert.deepStrictEqual(readdirSync(outside), [])
      await runIn(place, `rm -r folder; ln -s ${outside} folder`)
      symlinkSync("/etc/passwd", join(outside, "passwd"))
      await place.read("folder/passwd").then(() => assert.fail(), ({ message }) => assert.include(message, "no folder"))
    })
  })

  it("no port of the machine is reached, by any kind of socket, and none is opened on it", async () => {
    const server = createServer((socket) => socket.end("wombat"))
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
    const abstract = createServer((socket) => socket.end("wombat"))
    await new Promise<void>((done) => abstract.listen("\0svc-sandbox-test", done))
    const { port } = server.address() as { readonly port: number }
    const { output } = await run(
      `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3; perl -MSocket -e '` +
        "socket(my $s, AF_UNIX, SOCK_STREAM, 0); connect($s, pack(\"S a*\", AF_UNIX, \"\\0svc-sandbox-test\")) " +
        "and print <$s>; print \"abstract: $!\\n\"; socket(my $v, 40, SOCK_STREAM, 0) or print \"vsock: $!\\n\"; " +
        "socket(my $p, 17, SOCK_RAW, 0) or print \"packet: $!\\n\"'"
    )
    server.close()
    abstract.close()
    assert.notInclude(output, "wombat")
    assert.include(output, "refused")
    assert.include(output, "vsock: Operation not permitted")
    assert.include(output, "packet: Operation not permitted")
  })

  it("nothing but the workspace and /tmp can be written, and no way up is open", async () => {
    const { output } = await run(
      "for p in / /usr/bin /etc /dev /proc/sys/kernel /skills /home; do touch $p/x 2>/dev/null && echo wrote $p; done; " +
        "unshare -U true && echo namespace; mount -t tmpfs x /tmp && echo mounted; " +
        "chroot / true && echo chroot; echo 1 > /proc/sys/kernel/hostname && echo sysctl; " +
        "grep -E 'CapEff|NoNewPrivs|Seccomp:' /proc/self/status; touch /tmp/a && echo temporary"
    )
    for (const bad of ["wrote", "namespace", "mounted", "chroot\n", "sysctl"]) {
      assert.notMatch(output, new RegExp(`^${bad}`, "m"))
    }
    assert.match(output, /CapEff:\s+0000000000000000/)
    assert.match(output, /NoNewPrivs:\s+1/)
    assert.match(output, /Seccomp:\s+2/)
    assert.include(output, "temporary")
  })

  it("a command reads the files of skills, and cannot change them", async () => {
    const skills = [{ path: "refunds/scripts/sum.sh", content: new TextEncoder().encode("echo $(($1 + $2))") }]
    const { output } = await run("sh /skills/refunds/scripts/sum.sh 2 3; rm /skills/refunds/scripts/sum.sh", { skills })
    assert.match(output, /^5\n/)
    assert.include(output, "Read-only file system")
  })
})

describe.skipIf(!hasBubblewrap)("what a command can use up", () => {
  it("a command that takes too long is stopped, and nothing of it is left", async () => {
    const begun = performance.now()
    const ended = await run("sleep 31.25 & (setsid sleep 31.25 &) ; nohup sleep 31.25 & echo begun; wait", {
      timeoutMillis: 300
    })
    assert.deepStrictEqual(ended, { exitCode: null, output: "begun\n", stopped: "timeout" })
    assert.isBelow(performance.now() - begun, 5000)
    assert.deepStrictEqual(processesWith("sleep 31.25").length + processesWith("sleep\u000031.25").length, 0)
  })

  it("no zombie is left, neither of a command that ended nor of one that was stopped", async () => {
    const before = zombies()
    await run("true")
    await run("sleep 5", { timeoutMillis: 200 })
    await run("kill -9 $$")
    assert.isAtMost(zombies(), before)
  })

  it("what a command has started ends with it", async () => {
    const ended = await run("(setsid sleep 32.25 >/dev/null 2>&1 &); echo done")
    assert.strictEqual(ended.output, "done\n")
    assert.strictEqual(processesWith("sleep\u000032.25").length, 0)
  })

  it("a command ends when its result is no longer needed", async () => {
    const controller = new AbortController()
    const ended = run("echo begun; sleep 33.25", {
      signal: controller.signal,
      onOutput: () => controller.abort()
    })
    assert.strictEqual((await ended).stopped, "signal")
    assert.strictEqual(processesWith("sleep\u000033.25").length, 0)
  })

  it("a command whose result is given up while it is being prepared is not executed to its end", async () => {
    await withPlace(async (place) => {
      const controller = new AbortController()
      const ended = runIn(place, "sleep 4.25", { signal: controller.signal })
      controller.abort()
      assert.strictEqual((await ended).stopped, "signal")
    })
  })

  it("a bomb of processes ends in itself", async () => {
    const ended = await run("bomb() { bomb | bomb & }; bomb 2>/dev/null; sleep 0.3; echo over", { timeoutMillis: 3000 })
    assert.oneOf(ended.stopped, [undefined, "timeout"])
    assert.strictEqual(processesWith("bomb()").length, 0)
  })

  it("a flood of output is bounded, and its end is kept", async () => {
    const ended = await run("echo first; head -c 20000000 /dev/zero | tr '\\0' x; echo; echo last")
    assert.isBelow(ended.output.length, 21_000)
    assert.match(ended.output, /^first\n/)
    assert.match(ended.output, /last\n$/)
    assert.include(ended.output, "bytes are left out here")
  })

  it("files are limited in their size and their number, also in /tmp", async () => {
    const large = await run(
      "head -c 9000000 /dev/zero > a; ls -l a | cut -d' ' -f5; head -c 9000000 /dev/zero > /tmp/a"
    )
    assert.match(large.output, /4000000/)
    const { stopped } = await run("for i in 1 2 3; do head -c 3000000 /dev/zero > $i; done; sleep 5")
    assert.strictEqual(stopped, "quota")
    const many = await run("i=0; while [ $i -lt 400 ]; do i=$((i+1)); : > f$i; done; sleep 5")
    assert.strictEqual(many.stopped, "quota")
    await withPlace(async (place) => {
      await runIn(place, "i=0; while [ $i -lt 300 ]; do i=$((i+1)); : > f$i; done")
      await place.list(quota).then(() => assert.fail(), (error) => assert.instanceOf(error, Sandbox.OverQuota))
    })
  })

  it("memory is limited, that of one process and of all together", async () => {
    const one = await run("perl -e '$x = \"x\" x 400_000_000; print length $x'")
    assert.notInclude(one.output, "400000000")
    const all = await run(
      "for i in 1 2 3 4 5 6; do perl -e '$x = \"x\" x 20_000_000; $y = \"$x\"; sleep 5' & done; wait",
      { timeoutMillis: 6000 }
    )
    assert.strictEqual(all.stopped, "memory")
  })

  it("memory counts whichever thread has started its process, and none is shared without a file", async () => {
    const { stopped } = await run(
      "python3 -c '\nimport os, threading, time\ndef work():\n  for i in range(6):\n    if os.fork() == 0:\n      " +
        "x = b\"x\" * 40_000_000\n      time.sleep(5)\n      os._exit(0)\n  time.sleep(5)\n" +
        "t = threading.Thread(target=work)\nt.start()\nt.join()'",
      { timeoutMillis: 6000 }
    )
    assert.strictEqual(stopped, "memory")
    const { output } = await run(
      "python3 -c '\nimport mmap, os\ntry:\n  mmap.mmap(-1, 4096)\nexcept OSError as e: print(1, e)\n" +
        "try:\n  mmap.mmap(os.open(\"/dev/zero\", os.O_RDWR), 4096)\nexcept OSError as e: print(2, e)\n" +
        "print(len(mmap.mmap(-1, 4096, mmap.MAP_PRIVATE)))'; head -c 4 /dev/zero | od -An -tx1"
    )
    assert.match(output, /1 .*not permitted/)
    assert.match(output, /2 .*No such device/)
    assert.match(output, /4096\n 00 00 00 00/)
  })

  it("a file counts while a command is running, whatever the name of its folder is", async () => {
    const fill = "for i in 1 2 3; do head -c 3000000 /dev/zero > $i; done; sleep 5"
    const deep = "for i in $(seq 20); do mkdir a; cd a; done"
    for (const enter of ["mkdir $'\\xff'; cd $'\\xff'", "mkdir 'a\\b'; cd 'a\\b'", deep]) {
      assert.strictEqual((await run(`${enter}; ${fill}`)).stopped, "quota", enter)
    }
    const longest = "n=$(printf %0250d 0); for i in $(seq 20); do mkdir $n; cd $n; done; sleep 5"
    assert.strictEqual((await run(longest)).stopped, "quota")
  })

  it("a tree that is too deep, without rights, or with odd names is refused, and removed with its place", async () => {
    await withPlace(async (place) => {
      await runIn(place, "for i in $(seq 20); do mkdir a$(printf %0250d 0) && cd a* || break; done; echo ok")
      await place.list(quota).then(() => assert.fail(), (error) => assert.instanceOf(error, Sandbox.Unstorable))
    })
    await withPlace(async (place) => {
      await runIn(place, "mkdir a; echo 1 > a/b; chmod 000 a/b a")
      assert.deepStrictEqual((await place.list(quota)).files.map(({ path }) => path), ["a/b"])
      assert.strictEqual((await place.read("a/b")).length, 2)
      await runIn(place, "touch $'x\\xff'")
      await place.list(quota).then(() => assert.fail(), (error) => assert.instanceOf(error, Sandbox.Unstorable))
    })
    const folders = readdirSync(tmpdir()).filter((name) =>
      name.startsWith("svc-workspaces-") && name.includes(`-${process.pid}-`)
    )
    const places = folders.flatMap((name) => readdirSync(join(tmpdir(), name)))
    assert.deepStrictEqual(places.filter((name) => name.startsWith("place-") || name.startsWith("skills-")), [])
  })

  it("twenty commands at once each get their own files", async () => {
    const outputs = await Promise.all(
      Array.from({ length: 20 }, (_, number) => run(`echo ${number} > a; sleep 0.05; cat a`))
    )
    assert.deepStrictEqual(outputs.map(({ output }) => Number(output)), Array.from({ length: 20 }, (_, n) => n))
  })
})

describe("a machine that cannot isolate", () => {
  it("a folder that is not there is refused with what to do", async () => {
    await Sandbox.local({ directory: "/no/such/folder" }).check().then(() => assert.fail(), (error) => {
      assert.instanceOf(error, Sandbox.SandboxUnusable)
      assert.match(error.message, /There is no folder \/no\/such\/folder|needs Linux/)
    })
  })

  it("a machine without bubblewrap is refused with what to do", async () => {
    if (hasBubblewrap) return sandbox.check()
    await sandbox.check().then(() => assert.fail(), (error) => {
      assert.instanceOf(error, Sandbox.SandboxUnusable)
      assert.include(error.message, "Install bubblewrap")
    })
  })
})
