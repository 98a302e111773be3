import type { Page } from 'playwright-core';
import type { StoryIds } from './story.ts';

/** A page to take a picture of. */
export interface PicturedView {
  /** The name of its pictures. */
  readonly name: string;
  path(ids: StoryIds): string;
  /** What is done on it before, as a person does it. */
  readonly act?: (page: Page) => Promise<void>;
  /** Whether its visitor has not signed in. @default false */
  readonly signedOut?: boolean;
}

/** Every page of the console. */
export const views: readonly PicturedView[] = [
  { name: 'sign-in', path: () => '/', signedOut: true },
  { name: 'now', path: () => '/' },
  {
    name: 'now-why',
    path: () => '/',
    act: (page) => page.getByRole('button', { name: 'Why? Invoices to ERP' }).click(),
  },
  { name: 'timeline', path: () => '/timeline' },
  { name: 'templates', path: () => '/templates' },
  { name: 'template', path: ({ template }) => `/templates/${template}` },
  { name: 'template-form', path: ({ template }) => `/templates/${template}/edit` },
  { name: 'runs', path: () => '/runs' },
  { name: 'run', path: ({ failedRun }) => `/runs/${failedRun}` },
  { name: 'output', path: ({ failedRun }) => `/runs/${failedRun}?show=output` },
  { name: 'events', path: () => '/events' },
  { name: 'deliveries', path: () => '/deliveries' },
  { name: 'audit', path: () => '/audit' },
  { name: 'manage', path: () => '/manage' },
  { name: 'records', path: () => '/manage/apps' },
  { name: 'record', path: ({ credential }) => `/manage/credentials/${credential}` },
  { name: 'record-form', path: () => '/manage/companies/new' },
  { name: 'begin', path: () => '/begin' },
  { name: 'import', path: () => '/begin/crontab' },
  { name: 'first-job', path: () => '/begin/job' },
  { name: 'account', path: () => '/account' },
  {
    name: 'menu',
    path: () => '/',
    act: async (page) => {
      const menu = page.getByRole('button', { name: 'Menu' });
      await ((await menu.isVisible()) ? menu : page.locator('.account summary')).click();
    },
  },
  {
    name: 'search',
    path: () => '/',
    act: async (page) => {
      await page.keyboard.press('/');
      await page.getByRole('dialog').getByRole('combobox').fill('invoices');
      await page.getByRole('dialog').getByRole('option').first().waitFor();
    },
  },
  {
    name: 'keys',
    path: () => '/',
    act: async (page) => {
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
    },
  },
];

/** The pictures that README shows. */
export const readmePictures: readonly string[] = [
  'now-light-1280.png',
  'timeline-light-1280.png',
  'run-dark-1280.png',
  'now-dark-390.png',
];
