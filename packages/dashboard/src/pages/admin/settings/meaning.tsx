// The words of the docs about a setting: text with code, without its links.
import { withoutLinks } from './without-links.ts'

interface Piece {
  id: string
  text: string
  isCode: boolean
}

/** Every second part was between backticks. */
const piecesOf = (markdown: string): Piece[] =>
  withoutLinks(markdown)
    .split('`')
    .map((text, at) => ({ id: `${at}`, text, isCode: at % 2 === 1 }))

export function Meaning({ of }: { of: string }) {
  return piecesOf(of).map(({ id, text, isCode }) =>
    isCode ? <code key={id}>{text}</code> : <span key={id}>{text}</span>,
  )
}
