// The body of a push that creates a branch with one commit: what `git push` would send, made without git.
import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'

interface FirstCommit {
  branch: string
  message: string
  author: { name: string; email: string }
  at: number
  /** By path. */
  files: ReadonlyMap<string, Buffer>
}

/** The numbers that a pack gives to kinds of objects. */
const kinds = { commit: 1, tree: 2, blob: 3 } as const

const noCommit = '0'.repeat(40)

export function firstPush({ branch, message, author, at, files }: FirstCommit): Buffer {
  const objects = new Objects()
  const tree = writeTree(objects, [...files])
  const who = `${author.name} <${author.email}> ${Math.floor(at / 1000)} +0000`
  const text = `tree ${tree.toString('hex')}\nauthor ${who}\ncommitter ${who}\n\n${message}\n`
  const commit = objects.add('commit', Buffer.from(text)).toString('hex')
  const command = `${noCommit} ${commit} refs/heads/${branch}\0report-status`
  const length = (command.length + 4).toString(16).padStart(4, '0')
  return Buffer.concat([Buffer.from(`${length}${command}0000`), objects.pack()])
}

/** Git's report on a push says `ok <ref>` for each ref that moved. */
export const hasMoved = (report: string, branch: string): boolean =>
  report.includes(`ok refs/heads/${branch}`)

function writeTree(objects: Objects, files: readonly (readonly [path: string, content: Buffer])[]): Buffer {
  const names = new Set(files.map(([path]) => path.split('/')[0] ?? ''))
  const entries = [...names].map(name => {
    const file = files.find(([path]) => path === name)
    if (file) return { key: name, head: `100644 ${name}`, id: objects.add('blob', file[1]) }
    // Git sorts a folder as if its name ended with a slash.
    const key = `${name}/`
    const inside = files.filter(([path]) => path.startsWith(key))
    const below = inside.map(([path, content]) => [path.slice(key.length), content] as const)
    return { key, head: `40000 ${name}`, id: writeTree(objects, below) }
  })
  entries.sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)))
  return objects.add('tree', Buffer.concat(entries.flatMap(({ head, id }) => [Buffer.from(`${head}\0`), id])))
}

class Objects {
  /** By id, because two files may have the same content. */
  readonly #packed = new Map<string, Buffer>()

  /** Returns the id of the object. */
  add(kind: keyof typeof kinds, content: Buffer): Buffer {
    const id = createHash('sha1').update(`${kind} ${content.length}\0`).update(content).digest()
    this.#packed.set(
      id.toString('hex'),
      Buffer.concat([entryHeader(kinds[kind], content.length), deflateSync(content)]),
    )
    return id
  }

  pack(): Buffer {
    const header = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1')
    header.writeUInt32BE(this.#packed.size, 8)
    const body = Buffer.concat([header, ...this.#packed.values()])
    return Buffer.concat([body, createHash('sha1').update(body).digest()])
  }
}

/** Four bits of the size beside the kind, then seven in each byte. The highest bit says that more follow. */
function entryHeader(kind: number, size: number): Buffer {
  const bytes = [(kind << 4) | (size & 15)]
  for (let rest = size >>> 4; rest > 0; rest >>>= 7) {
    bytes[bytes.length - 1]! |= 128
    bytes.push(rest & 127)
  }
  return Buffer.from(bytes)
}
