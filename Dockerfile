# Both programs and nothing else, a few megabytes: docker build -t migration-toolkit .
#   docker run --rm -v "$PWD:/work" migration-toolkit migrator analyze .
FROM debian:12 AS build
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates git
COPY . /source
WORKDIR /source
RUN bash -c 'source cmake/setup.sh && ensure_build_tools && cmake/fetch_sources.sh && configure_and_build portable -- migrator ckpt_convert'

FROM scratch
COPY --from=build /source/build/portable/bin/migrator /source/build/portable/bin/ckpt_convert /usr/bin/
COPY --from=build /source/LICENSE /source/templates/licenses.txt /usr/share/doc/migration_toolkit/
WORKDIR /work
ENV PATH=/usr/bin
