// The paper that invoices are printed on: A4 with margins, two weights of one font, and pages that are added as needed.
import PDFDocument from 'pdfkit'
import { printable } from '../../printable.ts'

export interface Fonts {
  regular: Uint8Array
  semibold: Uint8Array
}

export interface TextStyle {
  size?: number
  weight?: keyof Fonts
  colour?: string
  align?: 'left' | 'right'
}

export const colours = {
  ink: '#16181d',
  soft: '#646b78',
  line: '#d9dce3',
  accent: '#3b4fe4',
  warning: '#a8480f',
}

const width = 595.28
const height = 841.89
const margin = 56
const footerHeight = 40

/** In points, from the upper left corner of the page. */
export const area = {
  left: margin,
  right: width - margin,
  width: width - 2 * margin,
  top: margin,
  bottom: height - margin - footerHeight,
  footer: height - margin - 20,
}

export class Paper {
  readonly #doc: PDFKit.PDFDocument
  readonly #chunks: Uint8Array[] = []
  readonly #done: Promise<void>

  /** The same arguments give the same bytes. The time is an argument, because a PDF contains it and a PDF's id depends on it. */
  constructor(fonts: Fonts, about: { title: string; author: string; createdAt: number }) {
    const { title, author, createdAt } = about
    const doc = new PDFDocument({
      size: [width, height],
      margin: 0,
      bufferPages: true,
      lang: 'en',
      displayTitle: true,
      info: { Title: title, Author: author, CreationDate: new Date(createdAt) },
    })
    doc.registerFont('regular', Buffer.from(fonts.regular))
    doc.registerFont('semibold', Buffer.from(fonts.semibold))
    doc.on('data', (chunk: Uint8Array) => this.#chunks.push(chunk))
    this.#done = new Promise((resolve, reject) => {
      doc.on('end', resolve)
      doc.on('error', reject)
    })
    this.#doc = doc
  }

  /** Writes wrapped text. Returns the y below it. */
  write(text: string, at: { x: number; y: number; width: number }, style: TextStyle = {}): number {
    const shown = printable(text)
    this.#use(style)
    const options = layout(at.width, style)
    this.#doc.fillColor(style.colour ?? colours.ink).text(shown, at.x, at.y, options)
    return at.y + this.#doc.heightOfString(shown, options)
  }

  heightOf(text: string, availableWidth: number, style: TextStyle = {}): number {
    this.#use(style)
    return this.#doc.heightOfString(printable(text), layout(availableWidth, style))
  }

  rule(y: number, colour: string = colours.line, from: number = area.left): void {
    this.#doc.moveTo(from, y).lineTo(area.right, y).lineWidth(0.75).strokeColor(colour).stroke()
  }

  addPage(): void {
    this.#doc.addPage()
  }

  /** Called once for each page, after all pages are filled. */
  onEveryPage(draw: (page: number, pages: number) => void): void {
    const { count } = this.#doc.bufferedPageRange()
    for (let page = 0; page < count; page++) {
      this.#doc.switchToPage(page)
      draw(page + 1, count)
    }
  }

  async finish(): Promise<Uint8Array> {
    this.#doc.end()
    await this.#done
    return Buffer.concat(this.#chunks)
  }

  #use({ size = 9.5, weight = 'regular' }: TextStyle): void {
    this.#doc.font(weight).fontSize(size)
  }
}

/** Amounts are aligned right. Their digits have equal widths, so that they line up. */
const layout = (availableWidth: number, { align = 'left' }: TextStyle) => ({
  width: availableWidth,
  align,
  lineGap: 2.5,
  ...(align === 'right' && { features: ['tnum' as const] }),
})
