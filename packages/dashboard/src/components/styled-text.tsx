// A line of a log with the colours that the program gave it.
import { marked, type Piece } from './ansi.ts'
import styles from './styled-text.module.css'

interface StyledTextProps {
  pieces: readonly Piece[]
  /** The text in parts, of which every second one was searched for. */
  found: readonly string[]
}

export function StyledText({ pieces, found }: StyledTextProps) {
  return marked(pieces, found).map(({ text, colour, isBold, isFaint, isFound }, i) => {
    const Element = isFound ? 'mark' : 'span'
    return (
      <Element
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of a line have nothing but their place
        key={i}
        className={styles.piece}
        data-colour={colour}
        data-bold={isBold}
        data-faint={isFaint}
      >
        {text}
      </Element>
    )
  })
}
