// What is left of the text of a statement.
import { describe, expect, it } from 'vitest'
import { withoutValues } from './statement-text.ts'

describe('the text of a statement without its values', () => {
  it.each([
    ['select * from a where b = $1 limit $2', 'select * from a where b = $1 limit $2'],
    ["select 'hunter2', 'it''s hunter2', 42, 1.5e10, 0xff", 'select ?, ?, ?, ?, ?'],
    ["select E'a\\'hunter2', b'101', U&'hunter2'", 'select ?, b?, U&?'],
    ['select $$hunter2$$, $a$hunter2 $$ $a$, a$b$c from t1', 'select ?, ?, a$b$c from t1'],
    ['select 1 -- hunter2\n, 2 /* hunter2 /* more */ hunter2 */', 'select ? , ?'],
    ['/* hunter2 */ -- hunter2\n (select 1)', '(select ?)'],
    ['select "a\'b", "it""s" from t where c = \'hunter2\'', 'select "a\'b", "it""s" from t where c = ?'],
    ["select 'a\\', 'hunter2'", 'select ? …'],
    ["select 'hunter2", 'select ? …'],
    ['select /* hunter2', 'select'],
    ['with a as (select 1) table a', 'with a as (select ?) table a'],
  ])('%s', (text, shown) => {
    expect(withoutValues(text)).toBe(shown)
  })

  it.each([
    "alter role svc_a password 'hunter2'",
    "/* select */ copy (select 'hunter2') to stdout",
    "create table a as select 'hunter2'",
    "'select'",
    'selected',
    '',
    '$',
  ])('nothing is left of %s', text => {
    expect(withoutValues(text)).toBeUndefined()
  })
})
