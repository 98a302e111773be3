import { type AnyAction, type AnyPlugin, buildRegistries, preparePlugin, systemClock } from '@horarium/core';
import { noticeOf } from '@horarium/core/contracts';
import type { ActionDelivery, DeliveryResult } from '@horarium/core/plugin';
import { completeOptions } from '#core/records/plugin-options';

/** Returns the one action of a plugin with those plugin options. */
export function actionOf(plugin: AnyPlugin, pluginOptions: object = {}): AnyAction {
  const [action] = buildRegistries([preparePlugin(plugin, pluginOptions, systemClock)]).actions;
  if (!action) throw new Error(`The plugin ${plugin.name} provides no action.`);
  return action;
}

/** Delivers a notice by an action as the service does: its options are complete. */
export function deliver(
  action: AnyAction,
  options: Readonly<Record<string, unknown>>,
  given: Partial<ActionDelivery> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<DeliveryResult> {
  const delivery = {
    id: '6f1b2f0e-3a5d-4c5b-9a57-0d7f3a2c4e11',
    attempt: 1,
    notice: noticeOf('on_failure'),
    hasEnded: true,
    deactivateTemplate: async () => 'RunTemplate 7 is inactive now.',
    ...given,
  };
  return action.deliver({ ...delivery, options: completeOptions(action.options, options) as never }, signal);
}
