-- The bucket of a duration: one bucket each for 0 to 7 ms, then four per doubling up to 65,536 ms, and one beyond.
-- server/features/metering/latency.ts uses the same boundaries.
create or replace function latency_bucket(p_ms int) returns smallint language sql immutable parallel safe as $$
  select width_bucket(p_ms, '{1,2,3,4,5,6,7,8,10,12,14,16,20,24,28,32,40,48,56,64,80,96,112,128,160,192,224,256,320,384,448,512,640,768,896,1024,1280,1536,1792,2048,2560,3072,3584,4096,5120,6144,7168,8192,10240,12288,14336,16384,20480,24576,28672,32768,40960,49152,57344,65536}'::int[])::smallint
$$;
