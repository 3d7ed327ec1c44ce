// Reads PDFs in tests: their text, and their pages as images.
import { createCanvas } from '@napi-rs/canvas'
import { getDocument, type PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs'

interface PdfPage {
  text: string
  /** The size of the page in points. */
  width: number
  height: number
  /** Draws the page. Returns the smallest box around all that is not white, in points. `undefined` for a blank page. */
  ink(): Promise<Box | undefined>
}

interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

export async function readPdf(
  bytes: Uint8Array,
): Promise<{ info: Record<string, unknown>; pages: PdfPage[] }> {
  const pdf = await getDocument({ data: new Uint8Array(bytes), verbosity: 0 }).promise
  const { info } = await pdf.getMetadata()
  const numbers = Array.from({ length: pdf.numPages }, (_, index) => index + 1)
  const pages = await Promise.all(numbers.map(async number => readPage(await pdf.getPage(number))))
  return { info: info as Record<string, unknown>, pages }
}

async function readPage(page: PDFPageProxy): Promise<PdfPage> {
  const viewport = page.getViewport({ scale: 1 })
  const { width, height } = viewport
  const { items } = await page.getTextContent()
  const text = items.map(item => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('')
  const ink = async () => {
    const canvas = createCanvas(Math.ceil(width), Math.ceil(height))
    await page.render({ canvas: canvas as never, viewport }).promise
    return boxOf(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data, canvas.width)
  }
  return { text, width, height, ink }
}

function boxOf(pixels: Uint8ClampedArray, width: number): Box | undefined {
  let box: Box | undefined
  for (let at = 0; at < pixels.length; at += 4) {
    if (pixels[at]! > 240 && pixels[at + 1]! > 240 && pixels[at + 2]! > 240) continue
    const [x, y] = [(at / 4) % width, Math.floor(at / 4 / width)]
    box ??= { left: x, top: y, right: x, bottom: y }
    box = {
      left: Math.min(box.left, x),
      top: Math.min(box.top, y),
      right: Math.max(box.right, x),
      bottom: Math.max(box.bottom, y),
    }
  }
  return box
}
