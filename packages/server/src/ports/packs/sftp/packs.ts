// Packs as files of a directory on another machine, over SFTP. Only backups use it: one process writes at a time.
import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { checkPackId, type PackSink, type PackSource, type Packs } from '../port.ts'
import { pathField, SftpClient, type SftpSettings } from './client.ts'
import { code, type Fields, flags, modeOf, number, string, type } from './messages.ts'
import { SftpSink } from './sink.ts'
import { SftpSource } from './source.ts'

const suffix = '.pack'
const unfinished = '.tmp'
const ownerName = 'owner'

export class SftpPacks implements Packs {
  readonly #client: SftpClient
  readonly #dir: string

  private constructor(client: SftpClient, dir: string) {
    this.#client = client
    this.#dir = dir
  }

  static async open(settings: SftpSettings): Promise<SftpPacks> {
    return new SftpPacks(await SftpClient.connect(settings), settings.dir)
  }

  async create(id: string): Promise<PackSink> {
    checkPackId(id)
    if (await this.#exists(id + suffix)) throw new Error(`The pack ${id} exists already`)
    return await this.#write(id + suffix)
  }

  async open(id: string): Promise<PackSource | undefined> {
    checkPackId(id)
    return await SftpSource.open(this.#client, string(`${this.#dir}/${id}${suffix}`))
  }

  async delete(id: string): Promise<void> {
    checkPackId(id)
    await this.#remove(id + suffix)
  }

  async distrust(): Promise<boolean> {
    return false
  }

  async *list(): AsyncGenerator<string> {
    for (const name of (await this.#names()).sort())
      if (name.endsWith(suffix)) yield name.slice(0, -suffix.length)
  }

  async claim(owner: string): Promise<string> {
    const known = await this.#owner()
    if (known !== undefined) return known
    await this.check()
    const sink = await this.#write(ownerName)
    await sink.write(Buffer.from(owner))
    await sink.commit().catch(async error => {
      // Another process was faster.
      if (!(await this.#exists(ownerName))) throw error
      await sink.abort()
    })
    return (await this.#owner()) ?? owner
  }

  async disclaim(owner: string): Promise<void> {
    if ((await this.#owner()) === owner) await this.#remove(ownerName)
  }

  async discardUnfinished(): Promise<void> {
    for (const name of await this.#names()) if (name.endsWith(unfinished)) await this.#remove(name)
  }

  /** Makes the directory, with those above it. */
  async check(): Promise<void> {
    const parts = this.#dir.split('/')
    for (let end = 1; end <= parts.length; end++) {
      const dir = parts.slice(0, end).join('/')
      if (dir === '' || (await this.#client.unless(code.missing, type.stat, string(dir)))) continue
      await this.#client.request(type.mkdir, string(dir), modeOf(0o700))
    }
  }

  async close(): Promise<void> {
    this.#client.close()
  }

  async #write(name: string): Promise<SftpSink> {
    const temporary = `${name}.${randomBytes(8).toString('hex')}${unfinished}`
    const how = number(flags.write | flags.create | flags.exclusive)
    const path = pathField(this.#dir, temporary)
    const { fields } = await this.#client.request(type.open, path, how, modeOf(0o600))
    return new SftpSink(this.#client, {
      handle: fields.string(),
      temporary: path,
      path: pathField(this.#dir, name),
    })
  }

  async #names(): Promise<string[]> {
    const opened = await this.#client.unless(code.missing, type.opendir, string(this.#dir))
    if (!opened) return []
    const handle = string(opened.fields.string())
    const names: string[] = []
    for (;;) {
      const some = await this.#client.unless(code.end, type.readdir, handle)
      if (!some) break
      names.push(...namesOf(some.fields))
    }
    await this.#client.request(type.close, handle)
    return names
  }

  async #owner(): Promise<string | undefined> {
    const source = await SftpSource.open(this.#client, pathField(this.#dir, ownerName))
    if (!source) return undefined
    const length = Math.min(source.size, 200)
    return (await buffer(source.stream(0, length)).finally(() => source.close())).toString()
  }

  async #exists(name: string): Promise<boolean> {
    return (await this.#client.unless(code.missing, type.stat, pathField(this.#dir, name))) !== undefined
  }

  async #remove(name: string): Promise<void> {
    await this.#client.unless(code.missing, type.remove, pathField(this.#dir, name))
  }
}

/** Each has its name, a line for people, and its attributes. */
function namesOf(fields: Fields): string[] {
  return Array.from({ length: fields.number() }, () => {
    const name = fields.string().toString()
    fields.string()
    fields.size()
    return name
  })
}
