/** Whether the service can be reached, as the event stream (`query/events.ts`) found it last. */
import { signal } from '@preact/signals';

type Connection = 'connecting' | 'open' | 'lost';
export const connection = signal<Connection>('connecting');
