import { vatPrefixes } from '@svc/contract'
import { expect, it } from 'vitest'
import { countriesOf, hasValidForm, splitVatNumber, tidyVatNumber, writeVatNumber } from './number.ts'

const read = (written: string, country: string | null = null) => {
  const number = splitVatNumber(tidyVatNumber(written) ?? '', country)
  return number && hasValidForm(number) ? writeVatNumber(number) : undefined
}

it.each([
  ['NL123456789B01', 'NL123456789B01'],
  ['nl 1234.56.789.b01', 'NL123456789B01'],
  ['NL-123456789-B-01', 'NL123456789B01'],
  ['NL–123456789–B–01', 'NL123456789B01'],
  ['\u00a0DE 136\u2009695\u3000976 ', 'DE136695976'],
  ['ＤＥ１３６６９５９７６', 'DE136695976'],
  ['EL094259216', 'EL094259216'],
  ['GR 094259216', 'EL094259216'],
  ['ATU12345678', 'ATU12345678'],
  ['BE 0403.019.261', 'BE0403019261'],
  ['CY10259033P', 'CY10259033P'],
  ['ESB86412491', 'ESB86412491'],
  ['ESX1234567L', 'ESX1234567L'],
  ['FRK7399859412', 'FRK7399859412'],
  ['FR 40 303 265 045', 'FR40303265045'],
  ['IE6388047V', 'IE6388047V'],
  ['IE3628739UA', 'IE3628739UA'],
  ['IE8Z49289F', 'IE8Z49289F'],
  ['LT100001919017', 'LT100001919017'],
  ['RO18', 'RO18'],
  ['XI 110 305 878', 'XI110305878'],
  ['XIGD123', 'XIGD123'],
])('the parser reads %j as %s', (written, number) => {
  expect(read(written)).toBe(number)
})

it.each([
  '',
  'NL',
  'NL123456789',
  'NL123456789B1',
  'NL123456789A01',
  'DE12345678',
  'DE1234567890',
  'DE12345678X',
  'ATX12345678',
  'GB123456789',
  'CHE123456789',
  'ZZ123',
  '123456789',
  "DE136695976'; --",
  '💶',
])('the parser takes %j for no VAT number', written => {
  expect(read(written)).toBeUndefined()
})

it('the parser takes a number without a prefix as one of the country', () => {
  expect(read('136695976', 'DE')).toBe('DE136695976')
  expect(read('094259216', 'GR')).toBe('EL094259216')
  expect(read('40303265045', 'MC')).toBe('FR40303265045')
  expect(read('136695976', 'US')).toBeUndefined()
})

it('the parser has a form for the prefix of every country', () => {
  for (const prefix of Object.values(vatPrefixes))
    expect([prefix, hasValidForm({ prefix, digits: '!' })]).toEqual([prefix, false])
  expect(countriesOf('EL')).toEqual(['GR'])
  expect(countriesOf('FR')[0]).toBe('FR')
})
