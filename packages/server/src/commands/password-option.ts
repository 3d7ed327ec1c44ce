// The option --password. With `-` the password is typed or piped, because all users of a machine can see its command lines.
import { Fault } from '../lib/fault.ts'

const bytesAtMost = 4096

/**
 * Returns the password. `-` reads it from stdin: on a terminal without echo, else all of stdin without the last line
 * break.
 */
export async function readPassword(given: string | undefined): Promise<string | undefined> {
  if (given === undefined) return undefined
  if (given !== '-') {
    process.stderr.write(
      'svcd: A password on the command line can be seen in the list of processes. Use --password - to type or pipe it.\n',
    )
    return given
  }
  const password = process.stdin.isTTY ? await typeTwice() : await readAll()
  if (password === '') throw new Fault('invalid_request', 'The password on stdin is empty.')
  return password
}

async function readAll(): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of process.stdin) {
    bytes += chunk.length
    if (bytes > bytesAtMost) throw new Fault('invalid_request', 'The password on stdin is too long.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '')
}

async function typeTwice(): Promise<string> {
  const first = await readHiddenLine('Password: ')
  if ((await readHiddenLine('Once more: ')) !== first)
    throw new Fault('invalid_request', 'The two passwords are not the same. Run the command again.')
  return first
}

const enter = new Set(['\r', '\n', '\u0004'])
const erase = new Set(['\u007f', '\b'])
const interrupt = '\u0003'

/** Reads a line from the terminal in raw mode, which does not show what is typed. */
function readHiddenLine(prompt: string): Promise<string> {
  const { stdin, stderr } = process
  stderr.write(prompt)
  stdin.setRawMode(true).setEncoding('utf8').resume()
  return new Promise((resolve, reject) => {
    let typed = ''
    const end = (): void => {
      stdin.off('data', read).setRawMode(false).pause()
      stderr.write('\n')
    }
    const read = (text: string): void => {
      for (const key of text) {
        if (key === interrupt || enter.has(key)) {
          end()
          if (key === interrupt) reject(new Fault('invalid_request', 'Nothing was changed.'))
          else resolve(typed)
          return
        }
        typed = erase.has(key) ? typed.slice(0, -1) : typed + key
      }
    }
    stdin.on('data', read)
  })
}
