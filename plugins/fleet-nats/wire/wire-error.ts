import { HorariumError } from '@horarium/core/plugin';

/** Why a message, a key, a text or a connection is refused: a sentence without any secret. */
export class WireError extends HorariumError {
  constructor(message: string) {
    super('invalid', message);
  }
}
