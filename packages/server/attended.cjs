// Runs inside an instance: starts a command that its caller attends, with a terminal if they have one, gives it what they
// type, and sends them what it writes. The platform (src/runner/attached.ts) connects to PORT and speaks in frames: a kind, a
// length of four bytes, and the content. Only the connection that begins with the key in SVC_ATTENDED_KEY is heard: where
// instances share a network, others may reach PORT, too. It runs with every Node that apps can have, and needs no other file.
const { spawn } = require('node:child_process')
const { readFileSync, readlinkSync } = require('node:fs')
const { createServer } = require('node:net')

const kind = { begin: 0, input: 1, endOfInput: 2, size: 3, stdout: 4, stderr: 5, exit: 6 }
const headBytes = 5
/** How long what a command wrote may take to arrive after its end. A program that it left behind may keep the pipes open. */
const restMs = 1_000
/** More than a command with its key takes. */
const longestBegin = 1024 * 1024

const key = process.env.SVC_ATTENDED_KEY
delete process.env.SVC_ATTENDED_KEY

// Whoever only looks whether this listens sends nothing.
const server = createServer({ noDelay: true }, socket => {
  let command
  socket.on('error', () => undefined)
  const longest = () => (command ? Number.POSITIVE_INFINITY : longestBegin)
  onFrames(socket, longest, (type, content) => {
    if (command) return command.take(type, content)
    const asked = type === kind.begin && whatIsAsked(content)
    if (!asked) return socket.destroy()
    server.close()
    socket.once('close', () => process.exit(1))
    command = start(socket, asked)
  })
})
server.listen(Number(process.env.PORT), process.env.HOSTNAME)

/** `undefined` from whoever does not know the key. */
function whatIsAsked(content) {
  try {
    const { key: given, ...asked } = JSON.parse(content)
    return given === key ? asked : undefined
  } catch {
    return undefined
  }
}

function onFrames(socket, longest, take) {
  let held = Buffer.alloc(0)
  socket.on('data', chunk => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    while (held.length >= headBytes && !socket.destroyed) {
      const length = held.readUInt32BE(1)
      if (length > longest()) return socket.destroy()
      if (held.length < headBytes + length) return
      take(held[0], held.subarray(headBytes, headBytes + length))
      held = held.subarray(headBytes + length)
    }
  })
}

function start(socket, { command, terminal }) {
  const [program, ...args] = terminal ? onTerminal(command, terminal) : command
  const env = terminal ? { ...process.env, TERM: terminal.type, SHELL: '/bin/sh' } : process.env
  const child = spawn(program, args, { env, stdio: 'pipe' })
  const send = (type, content) => {
    const head = Buffer.alloc(headBytes)
    head[0] = type
    head.writeUInt32BE(content.length, 1)
    socket.cork()
    socket.write(head)
    const isRead = socket.write(content)
    process.nextTick(() => socket.uncork())
    return isRead
  }
  for (const name of ['stdout', 'stderr'])
    child[name].on('data', chunk => {
      if (send(kind[name], chunk)) return
      child[name].pause()
      socket.once('drain', () => child[name].resume())
    })
  const end = exit => {
    send(kind.exit, Buffer.from(JSON.stringify(exit)))
    socket.end()
  }
  child.on('error', error => {
    const isMissing = error.code === 'ENOENT'
    const forTerminal = terminal ? ', and without it there is no terminal here' : ''
    send(kind.stderr, Buffer.from(`${program}: ${isMissing ? `not found${forTerminal}` : error.message}\n`))
    end({ code: isMissing ? 127 : 126, signal: null })
  })
  child.once('exit', (code, signal) => {
    let isTold = false
    const tell = () => {
      if (!isTold) end({ code, signal })
      isTold = true
    }
    child.once('close', tell)
    setTimeout(tell, restMs)
  })
  // A command that does not read to the end is no error.
  child.stdin.on('error', () => undefined)
  return {
    take(type, content) {
      if (type === kind.endOfInput) child.stdin.end()
      if (type === kind.size && terminal) resize(child.pid, JSON.parse(content))
      if (type !== kind.input || child.stdin.destroyed || child.stdin.write(content)) return
      socket.pause()
      const goOn = () => {
        child.stdin.off('drain', goOn).off('close', goOn)
        socket.resume()
      }
      child.stdin.on('drain', goOn).on('close', goOn)
    },
  }
}

/** `script` of util-linux makes the terminal, which Node cannot. It takes one line for the shell, so every word is quoted. */
function onTerminal(command, { columns, rows }) {
  const words = command.map(word => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
  const line = `stty rows ${Number(rows)} columns ${Number(columns)}; exec ${words}`
  return ['script', '--quiet', '--return', '--flush', '--command', line, '/dev/null']
}

/** The kernel tells the programs on the terminal, which is that of the one child of `script`. */
function resize(script, { columns, rows }) {
  try {
    const [child] = readFileSync(`/proc/${script}/task/${script}/children`, 'utf8').split(' ')
    const size = ['rows', String(Number(rows)), 'columns', String(Number(columns))]
    const args = ['-F', readlinkSync(`/proc/${child}/fd/0`), ...size]
    spawn('stty', args, { stdio: 'ignore' }).on('error', () => undefined)
  } catch {
    // The command has just ended.
  }
}
