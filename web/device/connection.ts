/** Whether the service can be reached, as the event stream (`query/events.ts`) found it last. */
import { signal } from '@preact/signals';

/** `refused`: the service answers, but lets this device in no more. */
type Connection = 'connecting' | 'open' | 'lost' | 'refused';
export const connection = signal<Connection>('connecting');
