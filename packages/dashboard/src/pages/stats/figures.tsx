// The large numbers at the top of the page.
import styles from './figures.module.css'

interface Figure {
  name: string
  value: string
  note?: string
}

export function Figures({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl className={styles.figures}>
      {figures.map(({ name, value, note }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value}
            {note && <span>{note}</span>}
          </dd>
        </div>
      ))}
    </dl>
  )
}
