import { expect, test } from 'vitest'
import { writeMail } from './write-mail.ts'

const content = {
  heading: 'Join a workspace',
  paragraphs: ['Ada invites you.'],
  action: { label: 'View invitation', url: 'https://shop.example/invitation#x' },
  note: 'Someone invited this address.',
}
const brand = {
  version: 1,
  name: 'Northwind',
  logo: null,
  support: 'help@shop.example',
  publicUrl: 'https://shop.example',
}

test('the one button has the color of the shop, and is black without one', () => {
  const button = (accent: { light: string; dark: string } | null) =>
    /<a class="action"[^>]*background:(#[0-9a-f]{6});color:#ffffff/.exec(
      writeMail(content, { ...brand, accent }).html,
    )?.[1]
  expect([button({ light: '#a03a00', dark: '#f7a072' }), button(null)]).toEqual(['#a03a00', '#16191d'])
  const inDark = (accent: { light: string; dark: string } | null) =>
    /prefers-color-scheme:dark.*\.action\{background:(#[0-9a-f]{6})!important;color:#14181e!important\}/.exec(
      writeMail(content, { ...brand, accent }).html,
    )?.[1]
  expect([inDark({ light: '#a03a00', dark: '#f7a072' }), inDark(null)]).toEqual(['#f7a072', '#eef1f4'])
})
