// Commands in the local sandbox: what they reach, what they leave behind, and what they can use up. It needs
// bubblewrap, which a machine may lack: then only the refusal is tested.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Sandbox from "../Sandbox.ts"

Tier.oneIn(4)

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

  it("a descriptor that the service was started with is nothing in a command", () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-descriptors-"))
    writeFileSync(join(folder, "key"), "secret")
    const program = `
      import * as Sandbox from ${JSON.stringify(new URL("../Sandbox.ts", import.meta.url).href)}
      const place = await Sandbox.local().open("s")
      const { output } = await place.run({
        command: "cat /proc/self/fd/200/key; cat <&201; ls /proc/self/fd | tr '\\n' ' '",
        timeoutMillis: 10000, quota: { bytes: 1000, files: 10 }, outputBytes: 2000, skills: [],
        onOutput: () => {}, signal: new AbortController().signal
      })
      await place.close()
      process.stdout.write(output)`
    writeFileSync(join(folder, "program.ts"), program)
    const started = spawnSync("/bin/bash", [
      "-c",
      `exec 200<${folder}; exec 201<${folder}/key; exec "$0" ${folder}/program.ts`,
      process.execPath
    ], { encoding: "utf8" })
    assert.include(started.stdout, "200 201", started.stderr)
    assert.notInclude(started.stdout, "secret")
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
  it.runIf(Tier.isWhole)("a command that takes too long is stopped, and nothing of it is left", async () => {
    const begun = performance.now()
    const ended = await run("sleep 31.25 & (setsid sleep 31.25 &) ; nohup sleep 31.25 & echo begun; wait", {
      // a busy machine needs some of them to start it
      timeoutMillis: 3000
    })
    assert.deepStrictEqual(ended, { exitCode: null, output: "begun\n", stopped: "timeout" })
    // nothing waits for what it has started
    assert.isBelow(performance.now() - begun, 31_250)
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

  it("shared memory and the children of other threads count as well", async () => {
    const shared = "import mmap,time\nm=mmap.mmap(-1,400*1024**2)\ntime.sleep(8)"
    const threads = "import threading,os,time\ndef work():\n for _ in range(6):\n  if os.fork()==0:\n" +
      "   b=bytearray(40*1024**2); time.sleep(8); os._exit(0)\n time.sleep(8)\n" +
      "t=threading.Thread(target=work); t.start(); t.join()"
    for (const program of [shared, threads]) {
      const ended = await run(`python3 -c '${program}'`)
      // the machine may have no Python
      if (ended.exitCode === 127) continue
      assert.strictEqual(ended.stopped, "memory", ended.output)
    }
  })

  it("files with odd names and files without a name count while a command is running", async () => {
    const odd = "mkdir $'\\xff'; cd $'\\xff'; for i in $(seq 99); do head -c 3000000 /dev/zero > $i; done; sleep 5"
    const unnamed = "for i in $(seq 20 60); do eval \"exec $i>f\"; rm f; head -c 3000000 /dev/zero >&$i; done; sleep 5"
    for (const command of [odd, unnamed]) assert.strictEqual((await run(command)).stopped, "quota")
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
