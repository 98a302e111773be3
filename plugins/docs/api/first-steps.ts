import type { ExampleRequest } from './curl.ts';

/** One of the first requests to a new service, with the sentence that explains it. */
export interface Step extends Omit<ExampleRequest, 'base'> {
  readonly text: string;
}

/** The requests that take a new user from the sign-in to the audit log. Ids are those of an empty store: each kind begins with 1. */
export const firstSteps: readonly Step[] = [
  {
    text: 'Sign in. The response holds `access_token`: put it into a variable with `TOKEN=hor_…`.',
    method: 'POST',
    path: '/login.json',
    body: { login: 'admin', password: 'the password that the first start printed' },
    signIn: 'none',
  },
  {
    text: 'Make a company. What is run is run for one.',
    method: 'POST',
    path: '/company',
    body: { code: 'acme', name: 'Acme Inc.' },
    signIn: 'token',
  },
  {
    text: 'Say what can be run: an app. Each argument is one word; no shell ever sees it.',
    method: 'POST',
    path: '/app',
    body: {
      name: 'Greeter',
      executable: '/bin/echo',
      arguments: ['Good morning,', '{PLACE}'],
      environment: { PLACE: { type: 'text' } },
    },
    signIn: 'token',
  },
  {
    text: 'Create a run template: it says how the App is run, for which company and how often. Use the ids from the earlier responses.',
    method: 'POST',
    path: '/runtemplate',
    body: {
      name: 'Morning greeting',
      app_id: 1,
      company_id: 1,
      interval: 'daily',
      timezone: 'Europe/Prague',
      deadline: '09:00',
      environment: { PLACE: 'Prague' },
    },
    signIn: 'token',
  },
  {
    text: 'Run it now, without waiting for its time.',
    method: 'POST',
    path: '/job',
    body: { runtemplate_id: 1 },
    signIn: 'token',
  },
  {
    text: 'Follow what it writes until it has ended.',
    method: 'GET',
    path: '/job/1/output?follow=true',
    signIn: 'token',
    follow: true,
  },
  { text: 'See how it ended.', method: 'GET', path: '/job/1.json', signIn: 'token' },
  {
    text: 'See which windows will be owed.',
    method: 'GET',
    path: '/runtemplate/1/preview.json?limit=3',
    signIn: 'token',
  },
  {
    text: 'Find out who changed what.',
    method: 'GET',
    path: '/auditlog.json?entity_type=RunTemplate&entity_id=1',
    signIn: 'token',
  },
];
