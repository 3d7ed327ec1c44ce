// Removes the images of deployments that are gone. Whatever deleted the record, the image follows.
import type { AppImages } from '../ports/app-images/port.ts'
import { imagesAmong } from '../store/deployments/stored.ts'
import type { Db } from '../store/store.ts'

/** A new image has no record until its build is published. */
const spareMs = 10 * 60_000

export class UnusedImages {
  readonly #images: AppImages
  readonly #db: Db
  /** When each image was first seen without a record. */
  #since = new Map<string, number>()

  constructor(images: AppImages, db: Db) {
    this.#images = images
    this.#db = db
  }

  async remove(now: number): Promise<void> {
    const here = await this.#images.list()
    const used = await imagesAmong(this.#db, here)
    const unused = here.filter(name => !used.has(name))
    this.#since = new Map(unused.map(name => [name, this.#since.get(name) ?? now]))
    for (const [name, since] of this.#since) if (now - since >= spareMs) await this.#images.remove(name)
  }
}
